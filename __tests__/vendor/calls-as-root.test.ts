import { describeCalls } from './calls.js';

describeCalls('root');
