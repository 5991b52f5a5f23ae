// The order of the test files: slow ones first, so that no slow test runs alone at the end on one core.
import Sequencer from '@jest/test-sequencer';

const PROJECTS = ['slow', 'scenarios', 'unit'];
const rank = ({ context }) => PROJECTS.indexOf(context.config.displayName?.name);

export default class SlowFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    return [...sorted].sort((one, other) => rank(one) - rank(other));
  }
}
