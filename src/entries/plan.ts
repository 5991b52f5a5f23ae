import { planChange } from '../plan-change.js';

planChange(process.env);
