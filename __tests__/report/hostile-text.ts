import fc from 'fast-check';

/** Texts made of whatever could break out, be run, be loaded or ping someone; and any other text. */
export const hostileText = fc
  .array(
    fc.constantFrom(
      ...['<img src=x>', '</details>', '<details>', '<script>', '</script>', '<!--', '-->', '<b', '</table>'],
      ...['`', '```', '````', '~~~', '\n', '\n\n', '\r', ' ', '    ', '\t', '|', '| a | b |\n|---|---|\n'],
      ...[
        '![x](http://e/i.png)',
        '[a](b)',
        '[a](javascript:alert(1))',
        '[a]: http://e',
        '[a]',
        '[^1]',
        '[^1]: x',
      ],
      ...[
        '@team',
        '@org/team',
        '#1',
        'o/r#2',
        'GH-12',
        'a@b.example',
        'https://e.example/x',
        'www.e.example',
      ],
      ...['https://github.com/o/r/issues/1', 'ftp://e', '&lt;', '&#64;x', '\\', '*', '_', '**', '~~'],
      ...[
        '# h',
        '- l',
        '1. x',
        '> q',
        '> [!WARNING]\n> x',
        '---',
        '===',
        '$x$',
        '$$',
        '\u202e',
        '\u200b',
        '\u0000',
      ],
      ...[
        '\u2028',
        '\u001b[31m',
        '\ufeff',
        '\u{e0041}',
        '&#x202e;',
        '&rlm;',
        'word',
        '😀',
        '\ud800',
        '$`x`$',
      ],
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));
export const anyText = fc.oneof({ weight: 3, arbitrary: hostileText }, fc.string({ unit: 'binary' }));
