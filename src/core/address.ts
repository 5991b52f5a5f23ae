const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether nobody on the way can change what comes from there: https, or this very machine. */
export function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}

/**
 * Where a redirect leads, or why it is not followed. From https it never leads back to http, not even on this
 * machine: a server out there has no business naming a port in here.
 */
export function followRedirect(from: string, location: string): { url: string } | { problem: string } {
  if (!URL.canParse(location, from)) return { problem: 'it redirects to something that is no address' };
  const { href, protocol } = new URL(location, from);
  const isDowngrade = protocol !== 'https:' && new URL(from).protocol === 'https:';
  if (isDowngrade || !isSafeAddress(href)) {
    return { problem: `it redirects to ${showAddress(href)}, which is not https` };
  }
  return { url: href };
}

/** An address as it may stand in a log: a mirror's password or signed query stays out of it. */
export function showAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  return url.host === '' ? `${url.protocol}…` : `${url.protocol}//${url.host}${url.pathname}`;
}
