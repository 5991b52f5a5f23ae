import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 257:
/***/ ((module, __unused_webpack___webpack_exports__, __nccwpck_require__) => {

__nccwpck_require__.a(module, async (__webpack_handle_async_dependencies__, __webpack_async_result__) => { try {
/* harmony import */ var _try_action_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(305);

process.exitCode = await (0,_try_action_js__WEBPACK_IMPORTED_MODULE_0__/* .tryAction */ .Y)(process.argv.slice(2));

__webpack_async_result__();
} catch(e) { __webpack_async_result__(e); } }, 1);

/***/ }),

/***/ 305:
/***/ ((__unused_webpack_module, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  Y: () => (/* binding */ tryAction)
});

;// CONCATENATED MODULE: external "node:child_process"
const external_node_child_process_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:child_process");
;// CONCATENATED MODULE: external "node:fs"
const external_node_fs_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");
;// CONCATENATED MODULE: external "node:os"
const external_node_os_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:os");
;// CONCATENATED MODULE: external "node:path"
const external_node_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");
;// CONCATENATED MODULE: ./src/try-terminal.ts
/** The runner's log commands, as a person in a terminal would want to see them. */
function renderLog(print) {
    let pending = '';
    const show = (line) => {
        const shown = renderLine(line);
        if (shown !== undefined)
            print(shown);
    };
    return {
        push(text) {
            const lines = `${pending}${text}`.split('\n');
            pending = lines.pop() ?? '';
            lines.forEach(show);
        },
        end() {
            if (pending !== '')
                show(pending);
            pending = '';
        },
    };
}
/** Groups become titles, annotations become lines; what only speaks to the runner is left out. */
function renderLine(line) {
    const command = /^::([\w-]+)(?: ([^:]*))?::(.*)$/.exec(line);
    if (!command)
        return line;
    const [, name = '', properties = '', data = ''] = command;
    const text = try_terminal_unescape(data);
    switch (name) {
        case 'group':
            return `▸ ${text}`;
        case 'error':
        case 'warning':
        case 'notice': {
            const title = /title=([^,]*)/.exec(properties)?.[1];
            return `${name.toUpperCase()}${title === undefined ? '' : ` ${try_terminal_unescape(title)}`}: ${text}`;
        }
        default:
            return undefined;
    }
}
/** A file of `name=value` and `name<<delimiter` entries, as @actions/core writes them. */
function parseFileCommand(text) {
    const entries = new Map();
    const lines = text.split('\n');
    for (let index = 0; index < lines.length; index += 1) {
        const [, name = '', delimiter] = /^([^=<]+)<<(.+)$/.exec(lines[index]?.trimEnd() ?? '') ?? [];
        if (delimiter === undefined)
            continue;
        const end = lines.findIndex((line, at) => at > index && line.trimEnd() === delimiter);
        if (end < 0)
            break;
        entries.set(name, lines.slice(index + 1, end).join('\n'));
        index = end;
    }
    return entries;
}
const try_terminal_unescape = (text) => text.replace(/%(0D|0A|3A|2C|25)/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

;// CONCATENATED MODULE: ./src/error-message.ts
/** The words of anything that was thrown. */
function messageOf(error) {
    if (typeof error === 'object' && error !== null && 'message' in error)
        return String(error.message);
    return String(error);
}

;// CONCATENATED MODULE: ./src/try-action.ts






/** The repository's root, seen from the bundle in dist/try. */
const ROOT = (0,external_node_path_namespaceObject.resolve)(process.argv[1] ?? '.', '..', '..', '..');
/**
 * Runs the built action in a child as the runner would: inputs as INPUT_*, file commands, a temporary folder.
 * Without arguments on the agent that ships with the project and a scratch copy of a small project; with
 * `--prompt` on the folder it was called from, with the real CLI and the key in CURSOR_API_KEY.
 */
async function tryAction(args) {
    const scratch = (0,external_node_fs_namespaceObject.mkdtempSync)((0,external_node_path_namespaceObject.join)((0,external_node_os_namespaceObject.tmpdir)(), 'try-cursor-agent-'));
    try {
        const given = parseArguments(args);
        return await play(Object.keys(given).length === 0 ? demo(scratch) : real(given), scratch);
    }
    catch (error) {
        process.stderr.write(`${messageOf(error)}\n`);
        return 1;
    }
    finally {
        (0,external_node_fs_namespaceObject.rmSync)(scratch, { recursive: true, force: true });
    }
}
function demo(scratch) {
    const workspace = (0,external_node_path_namespaceObject.join)(scratch, 'workspace');
    const original = (0,external_node_path_namespaceObject.join)(ROOT, 'fixtures', 'demo', 'workspace');
    (0,external_node_fs_namespaceObject.cpSync)(original, workspace, { recursive: true });
    const program = process.platform === 'win32' ? 'cursor-agent.cmd' : 'cursor-agent';
    const inputs = {
        prompt: 'Bring docs/usage.md up to date with the sources.',
        preset: 'docs',
        'api-key': 'demo-key-that-opens-nothing',
        'cli-path': (0,external_node_path_namespaceObject.join)(ROOT, 'fixtures', 'demo', program),
    };
    print('The demo: an agent that asks no model, on a scratch copy of a small project.\n');
    return { workspace, inputs, original };
}
function real(given) {
    const key = process.env['CURSOR_API_KEY'] ?? '';
    if (key === '' && given['agent'] !== 'clido') {
        throw new Error('Set CURSOR_API_KEY to run the real agent; without arguments a demo runs that needs no key.');
    }
    return { workspace: process.env['INIT_CWD'] ?? process.cwd(), inputs: { 'api-key': key, ...given } };
}
/** `--name value` for every input of action.yml. */
function parseArguments(args) {
    const known = inputNames();
    const given = {};
    for (let index = 0; index < args.length; index += 2) {
        const name = /^--([a-z0-9-]+)$/.exec(args[index] ?? '')?.[1];
        const value = args[index + 1];
        if (name === undefined || !known.includes(name) || value === undefined) {
            throw new Error(`Cannot read ${args[index] ?? ''}: use --<input> <value>, with an input of action.yml.`);
        }
        given[name] = value;
    }
    return given;
}
function inputNames() {
    const [, inputs = ''] = /^inputs:\n([\s\S]*?)^outputs:/m.exec((0,external_node_fs_namespaceObject.readFileSync)((0,external_node_path_namespaceObject.join)(ROOT, 'action.yml'), 'utf8')) ?? [];
    return [...inputs.matchAll(/^ {2}([a-z0-9-]+):$/gm)].map(([, name = '']) => name);
}
async function play({ workspace, inputs, original }, scratch) {
    const commandFile = (name) => {
        const path = (0,external_node_path_namespaceObject.join)(scratch, name);
        (0,external_node_fs_namespaceObject.writeFileSync)(path, '');
        return path;
    };
    const files = {
        GITHUB_OUTPUT: commandFile('output'),
        GITHUB_STEP_SUMMARY: commandFile('summary'),
        GITHUB_STATE: commandFile('state'),
    };
    const env = {
        ...process.env,
        ...files,
        GITHUB_WORKSPACE: workspace,
        // A trial is nobody's event, also where a workflow runs it.
        GITHUB_EVENT_NAME: undefined,
        // Kept after this: the files the outputs name are there to be looked at.
        RUNNER_TEMP: (0,external_node_os_namespaceObject.tmpdir)(),
        ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
        ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    };
    const code = await runBundle(env, workspace);
    if (original !== undefined)
        print(title('What the agent changed'), difference(original, workspace));
    print(title('Job summary'), (0,external_node_fs_namespaceObject.readFileSync)(files.GITHUB_STEP_SUMMARY, 'utf8').trimEnd());
    print(title('Outputs'), ...outputLines(parseFileCommand((0,external_node_fs_namespaceObject.readFileSync)(files.GITHUB_OUTPUT, 'utf8'))));
    return code;
}
function runBundle(env, cwd) {
    const bundle = (0,external_node_path_namespaceObject.join)(ROOT, 'dist', 'run', 'index.js');
    if (!(0,external_node_fs_namespaceObject.existsSync)(bundle))
        throw new Error('dist/ is missing; run npm run build.');
    print(title('Log'));
    const child = (0,external_node_child_process_namespaceObject.spawn)(process.execPath, [bundle], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const show = renderLog(print);
    child.stdout.setEncoding('utf8').on('data', show.push).on('end', show.end);
    return new Promise((done) => {
        child.on('close', (code) => {
            done(code ?? 1);
        });
    });
}
function difference(before, after) {
    const git = (0,external_node_child_process_namespaceObject.spawnSync)('git', ['diff', '--no-index', '--no-prefix', before, after], { encoding: 'utf8' });
    if (git.error)
        return '(git is needed to show it)';
    const folders = [before, after].flatMap((folder) => [`${folder}/`, `${folder.slice(1)}/`]);
    return folders.reduce((text, folder) => text.replaceAll(folder, ''), git.stdout).trimEnd() || '(nothing)';
}
function outputLines(outputs) {
    const width = Math.max(...[...outputs.keys()].map((name) => name.length));
    return [...outputs]
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `${name.padEnd(width)}  ${value.replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`);
}
const title = (text) => `\n${'─'.repeat(4)} ${text} ${'─'.repeat(70 - text.length)}`;
function print(...lines) {
    process.stdout.write(`${lines.join('\n')}\n`);
}


/***/ })

/******/ });
/************************************************************************/
/******/ // The module cache
/******/ var __webpack_module_cache__ = {};
/******/ 
/******/ // The require function
/******/ function __nccwpck_require__(moduleId) {
/******/ 	// Check if module is in cache
/******/ 	var cachedModule = __webpack_module_cache__[moduleId];
/******/ 	if (cachedModule !== undefined) {
/******/ 		return cachedModule.exports;
/******/ 	}
/******/ 	// Create a new module (and put it into the cache)
/******/ 	var module = __webpack_module_cache__[moduleId] = {
/******/ 		// no module.id needed
/******/ 		// no module.loaded needed
/******/ 		exports: {}
/******/ 	};
/******/ 
/******/ 	// Execute the module function
/******/ 	var threw = true;
/******/ 	try {
/******/ 		__webpack_modules__[moduleId](module, module.exports, __nccwpck_require__);
/******/ 		threw = false;
/******/ 	} finally {
/******/ 		if(threw) delete __webpack_module_cache__[moduleId];
/******/ 	}
/******/ 
/******/ 	// Return the exports of the module
/******/ 	return module.exports;
/******/ }
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/asset-relocator-loader */
/******/ if (typeof __nccwpck_require__ !== 'undefined') __nccwpck_require__.ab = decodeURIComponent(new URL('.', import.meta.url).pathname).slice(import.meta.url.match(/^file:\/\/\/\w:/) ? 1 : 0, -1) + "/";
/******/ 
/******/ /* webpack/runtime/async module */
/******/ (() => {
/******/ 	var webpackQueues = typeof Symbol === "function" ? Symbol("webpack queues") : "__webpack_queues__";
/******/ 	var webpackExports = typeof Symbol === "function" ? Symbol("webpack exports") : "__webpack_exports__";
/******/ 	var webpackError = typeof Symbol === "function" ? Symbol("webpack error") : "__webpack_error__";
/******/ 	var resolveQueue = (queue) => {
/******/ 		if(queue && queue.d < 1) {
/******/ 			queue.d = 1;
/******/ 			queue.forEach((fn) => (fn.r--));
/******/ 			queue.forEach((fn) => (fn.r-- ? fn.r++ : fn()));
/******/ 		}
/******/ 	}
/******/ 	var wrapDeps = (deps) => (deps.map((dep) => {
/******/ 		if(dep !== null && typeof dep === "object") {
/******/ 			if(dep[webpackQueues]) return dep;
/******/ 			if(dep.then) {
/******/ 				var queue = [];
/******/ 				queue.d = 0;
/******/ 				dep.then((r) => {
/******/ 					obj[webpackExports] = r;
/******/ 					resolveQueue(queue);
/******/ 				}, (e) => {
/******/ 					obj[webpackError] = e;
/******/ 					resolveQueue(queue);
/******/ 				});
/******/ 				var obj = {};
/******/ 				obj[webpackQueues] = (fn) => (fn(queue));
/******/ 				return obj;
/******/ 			}
/******/ 		}
/******/ 		var ret = {};
/******/ 		ret[webpackQueues] = x => {};
/******/ 		ret[webpackExports] = dep;
/******/ 		return ret;
/******/ 	}));
/******/ 	__nccwpck_require__.a = (module, body, hasAwait) => {
/******/ 		var queue;
/******/ 		hasAwait && ((queue = []).d = -1);
/******/ 		var depQueues = new Set();
/******/ 		var exports = module.exports;
/******/ 		var currentDeps;
/******/ 		var outerResolve;
/******/ 		var reject;
/******/ 		var promise = new Promise((resolve, rej) => {
/******/ 			reject = rej;
/******/ 			outerResolve = resolve;
/******/ 		});
/******/ 		promise[webpackExports] = exports;
/******/ 		promise[webpackQueues] = (fn) => (queue && fn(queue), depQueues.forEach(fn), promise["catch"](x => {}));
/******/ 		module.exports = promise;
/******/ 		body((deps) => {
/******/ 			currentDeps = wrapDeps(deps);
/******/ 			var fn;
/******/ 			var getResult = () => (currentDeps.map((d) => {
/******/ 				if(d[webpackError]) throw d[webpackError];
/******/ 				return d[webpackExports];
/******/ 			}))
/******/ 			var promise = new Promise((resolve) => {
/******/ 				fn = () => (resolve(getResult));
/******/ 				fn.r = 0;
/******/ 				var fnQueue = (q) => (q !== queue && !depQueues.has(q) && (depQueues.add(q), q && !q.d && (fn.r++, q.push(fn))));
/******/ 				currentDeps.map((dep) => (dep[webpackQueues](fnQueue)));
/******/ 			});
/******/ 			return fn.r ? promise : getResult();
/******/ 		}, (err) => ((err ? reject(promise[webpackError] = err) : outerResolve(exports)), resolveQueue(queue)));
/******/ 		queue && queue.d < 0 && (queue.d = 0);
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/************************************************************************/
/******/ 
/******/ // startup
/******/ // Load entry module and return exports
/******/ // This entry module used 'module' so it can't be inlined
/******/ var __webpack_exports__ = __nccwpck_require__(257);
/******/ __webpack_exports__ = await __webpack_exports__;
/******/ 
