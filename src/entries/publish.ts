import { runEntry } from '../core/entry.js';
import { publishReport } from '../publish/publish-report.js';

void runEntry({ failed: 'The report could not be published', run: publishReport });
