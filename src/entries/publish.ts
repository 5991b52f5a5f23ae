import { runEntry } from '../core/entry.js';
import { publishReport } from '../publish/publish-report.js';

await runEntry({ failed: 'The report could not be published', run: publishReport });
