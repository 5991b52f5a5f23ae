/**
 * Windows starts a `.cmd` file only through cmd.exe, which reads its command line twice. Each argument is
 * quoted for the program and then every mark that means something to cmd.exe is escaped.
 */
export function windowsCommand(script: string, args: readonly string[]): { file: string; args: string[] } {
  const line = [script, ...args].map((argument) => escapeForCmd(quoteArgument(argument))).join(' ');
  return { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`] };
}

/** Backslashes before a quote, and at the end, are doubled; quotes are escaped. */
function quoteArgument(argument: string): string {
  const escaped = argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1');
  return `"${escaped}"`;
}

/** Twice, because the batch file expands its own arguments once more. */
function escapeForCmd(argument: string): string {
  const once = (text: string) => text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
  return once(once(argument));
}
