import type { PresetName } from '../permissions/presets.js';

const COMMON_BEFORE =
  'You are running in a CI job. Nobody can answer questions: decide, and say what you assumed.';

const OWN: Readonly<Record<PresetName, string>> = {
  review:
    'Look and say what you see: read whatever you need in this repository, but change no file and run no command. ' +
    'Name the file and the line of what you found, and check each claim against the code before you make it.',
  docs:
    'You may read everything, and write documentation: Markdown files, and text and images below docs/. A change of ' +
    'anything else, such as scripts and configuration below docs/, fails this run. Check what you write against the ' +
    'sources, and leave alone what is still true.',
  'fix-ci':
    'You may read and change files and run commands. Find the cause before you change anything, make the smallest ' +
    'change that removes it, and run what shows that it is gone. Do not weaken or skip a check to make it pass. ' +
    'Leave .github, .git and the configuration of the tools you run in alone.',
  custom:
    'You may do what the permissions of this run allow. A refused call is final: find another way, or say what you ' +
    'could not do.',
};

const COMMON_AFTER =
  'Do not use git or gh, and do not try to commit, push, comment or open a pull request: other steps of the ' +
  'workflow publish what you leave behind. Your last message is what people will read, so make it complete by ' +
  'itself: what you found or did, and what is left open.';

/** What a preset tells the agent before the prompt of the workflow. */
export const presetInstruction = (preset: PresetName): string =>
  [COMMON_BEFORE, OWN[preset], COMMON_AFTER].join('\n\n');
