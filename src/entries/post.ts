import { putBack } from '../put-back.js';

await putBack();
