/** Things as GitHub's API shows them, whole: the servers of the tests hold every answer against its description. */
const WEB = 'https://github.example';
const API = 'https://api.github.example';

export interface Account {
  login: string;
  id: number;
  type: 'User' | 'Bot';
}

export function userShape({ login, id, type }: Account) {
  const name = encodeURIComponent(login);
  const api = `${API}/users/${name}`;
  return {
    login,
    id,
    node_id: `U_${id}`,
    avatar_url: `${WEB}/avatar/${id}`,
    gravatar_id: '',
    url: api,
    html_url: `${WEB}/${name}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following`,
    gists_url: `${api}/gists`,
    starred_url: `${api}/starred`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events`,
    received_events_url: `${api}/received_events`,
    type,
    site_admin: false,
  };
}
