/** As in package.json; a test compares them. */
export const ACTION_VERSION = '0.1.0';

/** The owner has no name before the first release, and its placeholder cannot be in an address as it is. */
export const ACTION_URL = encodeURI('https://github.com/<owner>/cursor-agent-action');
