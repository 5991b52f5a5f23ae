/** A patch that adds one file with one line. */
export const added = (path: string, mode = '100644', text = 'x'): string =>
  [
    `diff --git a/${path} b/${path}`,
    `new file mode ${mode}`,
    ...['--- /dev/null', `+++ b/${path}`, '@@ -0,0 +1 @@', `+${text}`, ''],
  ].join('\n');
