import { describeCalls } from './calls.js';

describeCalls('sudo');
