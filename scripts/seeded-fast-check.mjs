// The tests import this in place of fast-check (jest.config.js). Every run tries the same examples, so that a test fails
// because of a change and not by chance. PROPERTY_SEED=7 tries others; the project's own CI does that with its run number.
import fc from '../node_modules/fast-check/lib/fast-check.js';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });

export default fc;
