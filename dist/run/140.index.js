export const id = 140;
export const ids = [140];
export const modules = {

/***/ 9140:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  realInstallIo: () => (/* binding */ realInstallIo)
});

// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./src/runner.ts
var runner = __webpack_require__(4813);
;// CONCATENATED MODULE: ./src/agent/install/actions-cache.ts
/** A service that is down would hold up each call for half a minute and more. */
const LIMIT_MS = 120_000;
/**
 * The cache of GitHub Actions. Its client is large, so it is loaded only where there is a service to talk to.
 * What it hands out is not trusted: anyone who may write the cache chose it, so the caller verifies it.
 */
function actionsCache(env, limitMs = LIMIT_MS) {
    let isThere = Boolean(env['ACTIONS_CACHE_URL'] || env['ACTIONS_RESULTS_URL']);
    const call = async (work) => {
        if (!isThere)
            return undefined;
        const outcome = await withinLimit(limitMs, async () => {
            const cache = await Promise.all(/* import() */[__webpack_require__.e(119), __webpack_require__.e(942), __webpack_require__.e(588), __webpack_require__.e(691)]).then(__webpack_require__.bind(__webpack_require__, 1691));
            return cache.isFeatureAvailable() ? work(cache) : undefined;
        });
        // One that did not answer in time is not asked again.
        if ('late' in outcome)
            isThere = false;
        return 'value' in outcome ? outcome.value : undefined;
    };
    return {
        restore: async (file, key) => (await call((cache) => cache.restoreCache([file], key))) === key,
        save: async (file, key) => {
            await call((cache) => cache.saveCache([file], key));
        },
    };
}
/** Waits for the work, but not for ever, and takes any failure for an empty answer. */
async function withinLimit(limitMs, work) {
    const speakUp = hushAnnotations();
    const working = work()
        .catch(() => undefined)
        .then((value) => ({ value }))
        .finally(speakUp);
    let timer;
    const limit = new Promise((resolve) => {
        timer = setTimeout(resolve, limitMs, { late: true });
    });
    try {
        return await Promise.race([working, limit]);
    }
    finally {
        clearTimeout(timer);
    }
}
/**
 * The client reports a service it cannot reach as errors and warnings of the step. Nothing is wrong with the
 * step, so while it works they become debug lines.
 */
function hushAnnotations() {
    const write = process.stdout.write;
    const demote = (text) => text.replace(/^::(error|warning|notice)( [^:]*)?::/gm, '::debug::');
    const hushed = (chunk, ...rest) => Reflect.apply(write, process.stdout, [
        typeof chunk === 'string' ? demote(chunk) : chunk,
        ...rest,
    ]);
    process.stdout.write = hushed;
    return () => {
        process.stdout.write = write;
    };
}

;// CONCATENATED MODULE: ./src/agent/install/install-io.ts





function realInstallIo(env) {
    return {
        machine: { system: process.platform, arch: process.arch },
        toolCache: env['RUNNER_TOOL_CACHE'] || undefined,
        archiveCache: actionsCache(env),
        archiveFolder: (0,external_node_path_.join)(env['RUNNER_TEMP'] || (0,external_node_os_.tmpdir)(), 'cursor-agent-archives'),
        env,
        info: runner/* info */.pq,
        warning: runner/* warning */.$e,
        sleep: (ms) => (0,promises_.setTimeout)(ms),
        now: Date.now,
        stallMs: 60_000,
        versionMs: 60_000,
    };
}


/***/ })

};
