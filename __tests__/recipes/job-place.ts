/** github.* as far as recipes use it; the payload of the event as it came. */
export interface GithubContext {
  event_name: string;
  event: Record<string, unknown>;
  event_path: string;
  repository: string;
  repository_owner: string;
  ref: string;
  ref_name: string;
  head_ref: string;
  base_ref: string;
  sha: string;
  actor: string;
  triggering_actor: string;
  run_id: string;
  run_number: string;
  run_attempt: string;
  workflow: string;
  job: string;
  token: string;
  server_url: string;
  api_url: string;
  workspace: string;
}

/** Where the steps of one job do their work. */
export interface JobPlace {
  workspace: string;
  temp: string;
  /** Shared by the jobs of a run. */
  artifacts: string;
  github: GithubContext;
  /** What every step of a job has in its environment. */
  baseEnv: Record<string, string>;
}

/** What came of one step. */
export interface StepWork {
  ok: boolean;
  log: string;
  outputs?: ReadonlyMap<string, string>;
  summary?: string;
  /** What later steps have in their environment, and before all else on PATH. */
  env?: ReadonlyMap<string, string>;
  path?: readonly string[];
  /** To be run when the job ends. */
  post?: () => Promise<StepWork>;
}
