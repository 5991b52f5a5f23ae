const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether the data cannot be changed on its way: https, or this machine. */
export function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}

/**
 * The target of a redirect, or why it is not followed. A redirect from https to http is never followed, not even to
 * this machine, because a remote server must not choose a local port.
 */
export function followRedirect(from: string, location: string): { url: string } | { problem: string } {
  if (!URL.canParse(location, from)) return { problem: 'it redirects to something that is not an address' };
  const { href, protocol } = new URL(location, from);
  const isDowngrade = protocol !== 'https:' && new URL(from).protocol === 'https:';
  if (isDowngrade || !isSafeAddress(href)) {
    return { problem: `it redirects to ${showAddress(href)}, which is not https` };
  }
  return { url: href };
}

/** An address for the log, without a password or a signed query. */
export function showAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  return url.host === '' ? `${url.protocol}…` : `${url.protocol}//${url.host}${url.pathname}`;
}
