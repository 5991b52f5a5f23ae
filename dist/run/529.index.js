export const id = 529;
export const ids = [529];
export const modules = {

/***/ 2529:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  installCli: () => (/* binding */ installCli)
});

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./src/failure.ts
var failure = __webpack_require__(1633);
// EXTERNAL MODULE: ./src/agent/install/address.ts
var install_address = __webpack_require__(2845);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:stream"
var external_node_stream_ = __webpack_require__(7075);
// EXTERNAL MODULE: external "node:stream/promises"
var external_node_stream_promises_ = __webpack_require__(6466);
// EXTERNAL MODULE: ./src/error-message.ts
var error_message = __webpack_require__(6587);
;// CONCATENATED MODULE: ./src/agent/install/retry.ts

/** A server's answer that is not the file. */
class HttpStatus extends Error {
    status;
    retryAfter;
    name = 'HttpStatus';
    constructor(status, statusText, 
    /** The header, as it came. */
    retryAfter) {
        super(`the server answered ${status}${statusText ? ` ${statusText}` : ''}`);
        this.status = status;
        this.retryAfter = retryAfter;
    }
}
/** What another try would not change: a redirect to an unsafe place, a file that is too large. */
class Refused extends Error {
    name = 'Refused';
}
/** Before the second, third and fourth try. */
const WAITS_MS = [2_000, 6_000, 18_000];
/** A server that wants us to wait longer than this is not waited for. */
const MOST_WAIT_MS = 5 * 60_000;
/** Faults of this machine or of a certificate, which stay. */
const LASTING = /^(ENOSPC|EDQUOT|EACCES|EPERM|EROFS|ENOTDIR|EISDIR|ERR_TLS_.*|.*CERT.*|UNABLE_TO_.*)$/;
/** How long to wait before the next try; nothing if there is to be none. */
function waitBeforeRetry(error, failed, now) {
    const wait = WAITS_MS[failed - 1];
    if (wait === undefined || !mayPass(error))
        return undefined;
    const asked = error instanceof HttpStatus ? readRetryAfter(error.retryAfter, now) : undefined;
    if (asked === undefined)
        return wait;
    return asked > MOST_WAIT_MS ? undefined : Math.max(asked, 0);
}
function mayPass(error) {
    if (error instanceof Refused)
        return false;
    if (error instanceof HttpStatus)
        return [408, 429].includes(error.status) || error.status >= 500;
    return !LASTING.test(codeOf(error));
}
/** Seconds or a date. */
function readRetryAfter(text, now) {
    if (text === undefined)
        return undefined;
    if (/^\d+$/.test(text))
        return Number(text) * 1000;
    const date = Date.parse(text);
    return Number.isNaN(date) ? undefined : date - now;
}
/** Tries until it works, or until another try would not help; then the last error is thrown. */
async function withRetries(io, attempt) {
    for (let failed = 0;;) {
        try {
            return await attempt();
        }
        catch (error) {
            failed += 1;
            const wait = waitBeforeRetry(error, failed, io.now());
            if (wait === undefined)
                throw error;
            io.info(`That failed: ${messageOf(error)}. Trying again in ${Math.ceil(wait / 1000)} s.`);
            await io.sleep(wait);
        }
    }
}
/** The code the system or Node gives an error, such as ENOSPC; empty where there is none. */
function codeOf(error) {
    return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
/** An error in words; some errors of the network have a code and no message. */
function messageOf(error) {
    return ((0,error_message/* messageOf */.b)(error) || codeOf(error)).replace(/\.$/, '');
}

;// CONCATENATED MODULE: ./src/agent/install/http.ts


const MOST_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];
/**
 * Asks for an address through the proxy the environment names, and follows redirects ourselves, because the
 * client would follow one from https on this machine to plain http anywhere. The body is the caller's to read.
 */
async function openAddress(url, stallMs) {
    let address = url;
    for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
        const message = await ask(address, stallMs);
        const status = message.statusCode ?? 0;
        if (status === 200)
            return message;
        const location = message.headers.location;
        message.destroy();
        if (!REDIRECTS.includes(status) || location === undefined)
            throw statusOf(message);
        const next = (0,install_address/* followRedirect */.AT)(address, location);
        if ('problem' in next)
            throw new Refused(next.problem);
        address = next.url;
    }
    throw new Refused(`it redirects more than ${MOST_REDIRECTS} times`);
}
/** Where an address redirects to, without going there. */
async function redirectOf(url, stallMs) {
    const message = await ask(url, stallMs);
    message.destroy();
    if (!REDIRECTS.includes(message.statusCode ?? 0))
        throw statusOf(message);
    return message.headers.location ?? '';
}
/** A short text, whole. */
async function readText(url, stallMs, mostBytes) {
    const message = await openAddress(url, stallMs);
    const stall = watchStall(message, stallMs);
    try {
        const chunks = [];
        let bytes = 0;
        for await (const chunk of message) {
            stall.sign();
            chunks.push(chunk);
            bytes += chunk.length;
            if (bytes > mostBytes)
                throw new Refused(`it is larger than ${mostBytes} bytes`);
        }
        return Buffer.concat(chunks).toString('utf8');
    }
    finally {
        stall.stop();
        message.destroy();
    }
}
/** Ends a body that has gone silent, so that reading it fails instead of waiting for ever. */
function watchStall(message, stallMs) {
    const timer = setTimeout(() => {
        message.destroy(new Error(`the server was silent for ${Math.round(stallMs / 100) / 10} s`));
    }, stallMs);
    return {
        sign: () => void timer.refresh(),
        stop: () => {
            clearTimeout(timer);
        },
    };
}
async function ask(url, stallMs) {
    // Loaded only here: what is in the tool cache needs no client.
    const { HttpClient } = await Promise.all(/* import() */[__webpack_require__.e(119), __webpack_require__.e(942)]).then(__webpack_require__.bind(__webpack_require__, 4942));
    const client = new HttpClient('cursor-agent-action', [], {
        allowRedirects: false,
        allowRetries: false,
        socketTimeout: stallMs,
    });
    // The client's own timeout begins when the connection stands; this one covers the way there.
    let timer;
    const silence = new Promise((_, reject) => {
        timer = setTimeout(() => {
            reject(new Error(`the server did not answer for ${Math.round(stallMs / 100) / 10} s`));
        }, stallMs);
    });
    const answer = client.get(url, { accept: '*/*' });
    // An answer that comes too late is not read.
    answer.catch(() => undefined);
    try {
        return (await Promise.race([answer, silence])).message;
    }
    catch (error) {
        void answer.then(({ message }) => message.destroy(), () => undefined);
        throw error;
    }
    finally {
        clearTimeout(timer);
    }
}
function statusOf(message) {
    return new HttpStatus(message.statusCode ?? 0, (message.statusMessage ?? '').replace(/[^ -~]/g, ''), message.headers['retry-after']);
}

;// CONCATENATED MODULE: ./src/agent/install/progress.ts
/** How often a slow download says how far it is. */
const EVERY_MS = 5_000;
/** Words for a download: percent, megabytes, megabytes a second. Without a total there is no percentage. */
function trackProgress(total, start) {
    let shown = start;
    const rate = (bytes, now) => `${megabytes(bytes / (Math.max(now - start, 1) / 1000))} MB/s`;
    return {
        line(bytes, now) {
            if (now - shown < EVERY_MS)
                return undefined;
            shown = now;
            const part = total === undefined || total <= 0
                ? `${megabytes(bytes)} MB`
                : `${Math.min(100, Math.floor((bytes / total) * 100))} % (${megabytes(bytes)} of ${megabytes(total)} MB)`;
            return `  ${part}, ${rate(bytes, now)}`;
        },
        done: (bytes, now) => `Downloaded ${megabytes(bytes)} MB, ${rate(bytes, now)}`,
    };
}
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

;// CONCATENATED MODULE: ./src/agent/install/download.ts








/** More than five times the largest archive there is: what goes on after that is no CLI. */
const MOST_BYTES = 1024 ** 3;
/** Enough that what has arrived is written in few, large writes. */
const BUFFER_BYTES = 4 * 1024 * 1024;
/**
 * Streams a file to disk and hashes it on the way, with further tries where they may help. The client of
 * @actions/tool-cache is used, but not its `downloadTool`, which can neither hash nor be told how to wait.
 */
async function download({ url, target, expectedBytes }, io) {
    try {
        return await withRetries(io, async () => {
            const message = await openAddress(url, io.stallMs);
            const arrived = await receive(message, { target, expectedBytes }, io);
            // Where the server names no length, a connection that was cut looks like the end.
            const isCut = message.headers['content-length'] === undefined && arrived.bytes < (expectedBytes ?? 0);
            if (isCut)
                throw new Error(`the connection ended after ${arrived.bytes} of ${expectedBytes} bytes`);
            return arrived;
        });
    }
    catch (error) {
        await (0,promises_.rm)(target, { force: true });
        throw error;
    }
}
async function receive(message, { target, expectedBytes }, io) {
    const total = Number(message.headers['content-length'] ?? expectedBytes ?? 0) || undefined;
    const progress = trackProgress(total, io.now());
    const hash = (0,external_node_crypto_.createHash)('sha256');
    const stall = watchStall(message, io.stallMs);
    let bytes = 0;
    try {
        const meter = new external_node_stream_.Transform({
            highWaterMark: BUFFER_BYTES,
            transform(chunk, _, pass) {
                stall.sign();
                hash.update(chunk);
                bytes += chunk.length;
                const line = progress.line(bytes, io.now());
                if (line !== undefined)
                    io.info(line);
                if (bytes > MOST_BYTES)
                    pass(new Refused(`it is larger than ${MOST_BYTES} bytes`));
                else
                    pass(null, chunk);
            },
        });
        await (0,external_node_stream_promises_.pipeline)(message, meter, (0,external_node_fs_.createWriteStream)(target, { highWaterMark: BUFFER_BYTES }));
    }
    finally {
        stall.stop();
    }
    io.info(progress.done(bytes, io.now()));
    return { sha256: hash.digest('hex'), bytes };
}

;// CONCATENATED MODULE: ./src/agent/install/plan.ts
/** `version` is exact by now. */
function planInstall(request, release, platform) {
    const { version } = request;
    const pinned = release.pinned(version, platform.name);
    const given = request.sha256;
    // A hash that was given wins; it keeps the known size only if it is the known hash.
    const expected = given === undefined || given === pinned?.sha256 ? pinned : { sha256: given };
    const url = archiveUrl(request.downloadUrl, release, { version, platform });
    return { release, version, platform, url, ...(expected ? { expected } : {}) };
}
/** The address that names the newest version: the vendor's, or the same path on a mirror's host. */
function newestUrl(mirror, { newest }) {
    return new URL(newest.path, mirror === undefined ? newest.base : withoutPlaceholders(mirror)).href;
}
/** A name for this very archive: one that another hash was expected of, or none, is another one. */
function archiveName({ platform, expected }) {
    return `${platform.name.replace('/', '-')}-${expected ? expected.sha256.slice(0, 16) : 'unverified'}`;
}
const PLACEHOLDER = /\{(version|os|arch|ext)\}/g;
/** A mirror is a template, or a base under which the vendor's own layout is expected. */
function archiveUrl(mirror, release, { version, platform }) {
    const base = (mirror ?? release.base).replace(/\/+$/, '');
    const isTemplate = mirror !== undefined && mirror.search(PLACEHOLDER) >= 0;
    const template = isTemplate ? mirror : `${base}/${release.layout}`;
    const values = new Map([
        ['version', version],
        ['os', platform.os],
        ['arch', platform.arch],
        ['ext', platform.packing === 'binary' ? '' : platform.packing],
    ]);
    return template.replace(PLACEHOLDER, (_, name) => values.get(name) ?? '');
}
const withoutPlaceholders = (mirror) => mirror.replace(/[{}]/g, '');

;// CONCATENATED MODULE: ./src/agent/install/latest.ts





const MOST_SCRIPT_BYTES = 1024 * 1024;
/**
 * The newest version, read out of what the vendor publishes and never runs here. What is read can only become
 * a version: the pattern lets nothing through that could be more than one folder of an address.
 */
async function findNewest(release, mirror, io) {
    const url = newestUrl(mirror, release);
    io.info(`Looking up the newest version of ${release.title} at ${(0,install_address/* showAddress */.mC)(url)}`);
    const text = await latest_ask(release, url, io);
    const versions = [
        ...new Set([...text.matchAll(release.newest.pattern)].map(([, version = '']) => version)),
    ];
    const [version, ...others] = versions;
    if (version === undefined || others.length > 0 || !release.versionShape.test(version)) {
        const found = versions.length > 1 ? `several versions (${versions.join(', ')})` : 'no version';
        throw unknown(release, url, `${found} could be read from it`);
    }
    return version;
}
async function latest_ask({ title, newest }, url, io) {
    try {
        return await withRetries(io, () => newest.from === 'text' ? readText(url, io.stallMs, MOST_SCRIPT_BYTES) : redirectOf(url, io.stallMs));
    }
    catch (error) {
        throw unknown({ title }, url, messageOf(error));
    }
}
function unknown({ title }, url, why) {
    return new failure/* RunFailure */.a('install-failed', `The newest version of ${title} could not be found out from ${(0,install_address/* showAddress */.mC)(url)}: ${why}. ` +
        'Set cli-version to an exact version.');
}

// EXTERNAL MODULE: ./node_modules/zod/v4/mini/schemas.js + 2 modules
var schemas = __webpack_require__(5395);
// EXTERNAL MODULE: ./node_modules/zod/v4/core/api.js
var api = __webpack_require__(3759);
;// CONCATENATED MODULE: ./src/agent/install/manifest.ts





const sha256 = schemas/* string */.YjP().check(api/* _regex */.Fk(/^[0-9a-f]{64}$/));
/**
 * Lies beside an installed CLI and says what it is and what is in it. It is written only once all of that has
 * been verified, and comes into being together with the files, by one rename. It tells damage, not malice:
 * who can change the files of the tool cache can change this one too.
 */
const ManifestSchema = schemas/* object */.Ikc({
    format: schemas/* literal */.euz(1),
    version: schemas/* string */.YjP(),
    platform: schemas/* string */.YjP(),
    /** Of the archive it was unpacked from. */
    archive: sha256,
    /** The program's path among the files. */
    program: schemas/* string */.YjP(),
    entries: schemas/* array */.YOg(schemas/* discriminatedUnion */.gMt('kind', [
        schemas/* object */.Ikc({
            kind: schemas/* literal */.euz('file'),
            path: schemas/* string */.YjP(),
            bytes: schemas/* number */.aig(),
            sha256,
            isExecutable: schemas/* boolean */.zMY(),
        }),
        schemas/* object */.Ikc({ kind: schemas/* literal */.euz('link'), path: schemas/* string */.YjP(), target: schemas/* string */.YjP() }),
    ])),
});
/** The first difference between what should be there and what is; nothing if there is none. */
function findDifference(wanted, found) {
    const there = new Map(found.map((entry) => [entry.path, entry]));
    for (const entry of wanted) {
        const other = there.get(entry.path);
        if (!other)
            return `${entry.path} is missing`;
        if (!isSame(entry, other))
            return `${entry.path} is not what was installed`;
        there.delete(entry.path);
    }
    const [extra] = there.keys();
    return extra === undefined ? undefined : `${extra} was not installed by this action`;
}
function isSame(a, b) {
    if (a.kind === 'link')
        return b.kind === 'link' && a.target === b.target;
    return b.kind === 'file' && a.sha256 === b.sha256 && a.isExecutable === b.isExecutable;
}
/** Everything below a folder, every byte of it read. */
async function readTree(folder, below = '') {
    const entries = [];
    for (const item of await (0,promises_.readdir)((0,external_node_path_.join)(folder, below), { withFileTypes: true })) {
        const path = below === '' ? item.name : `${below}/${item.name}`;
        if (item.isDirectory())
            entries.push(...(await readTree(folder, path)));
        else if (item.isSymbolicLink())
            entries.push({ kind: 'link', path, target: await (0,promises_.readlink)((0,external_node_path_.join)(folder, path)) });
        else
            entries.push({ kind: 'file', path, ...(await readContent((0,external_node_path_.join)(folder, path))) });
    }
    return entries;
}
const CHUNK_BYTES = 1024 * 1024;
/** Hashes a file. A large one is read by pieces, and while one is hashed the next is read. */
async function readContent(path) {
    const { size, mode } = (0,external_node_fs_.statSync)(path);
    const isExecutable = (mode & 0o100) !== 0;
    // At once: for thousands of small files the waiting is the work.
    if (size < CHUNK_BYTES) {
        const data = (0,external_node_fs_.readFileSync)(path);
        return { sha256: (0,external_node_crypto_.createHash)('sha256').update(data).digest('hex'), bytes: data.length, isExecutable };
    }
    return { ...(await hashLarge(path)), isExecutable };
}
async function hashLarge(path) {
    const file = await (0,promises_.open)(path, 'r');
    try {
        const hash = (0,external_node_crypto_.createHash)('sha256');
        const buffers = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
        let bytes = 0;
        let reading = file.read(buffers[0], 0, CHUNK_BYTES);
        for (let turn = 1;; turn += 1) {
            const { buffer, bytesRead } = await reading;
            if (bytesRead === 0)
                break;
            reading = file.read(turn % 2 === 1 ? buffers[1] : buffers[0], 0, CHUNK_BYTES);
            hash.update(buffer.subarray(0, bytesRead));
            bytes += bytesRead;
        }
        return { sha256: hash.digest('hex'), bytes };
    }
    finally {
        await file.close();
    }
}

;// CONCATENATED MODULE: ./src/agent/install/platform.ts

const cursorFor = (os, arch) => ({
    name: `${os}/${arch}`,
    os,
    arch,
    packing: 'tar.gz',
    program: 'cursor-agent',
});
const cursorForWindows = (arch) => ({
    name: `windows/${arch}`,
    os: 'windows',
    arch,
    packing: 'zip',
    program: 'cursor-agent.cmd',
});
const clidoFor = (name, os, arch) => ({
    name,
    os,
    arch,
    packing: 'binary',
    program: 'clido',
});
/** Every machine a CLI is built for, by `process.platform`/`process.arch`. */
const PLATFORMS = {
    cursor: new Map([
        ['linux/x64', cursorFor('linux', 'x64')],
        ['linux/arm64', cursorFor('linux', 'arm64')],
        ['darwin/x64', cursorFor('darwin', 'x64')],
        ['darwin/arm64', cursorFor('darwin', 'arm64')],
        ['win32/x64', cursorForWindows('x64')],
        ['win32/arm64', cursorForWindows('arm64')],
    ]),
    clido: new Map([
        ['linux/x64', clidoFor('linux/x64', 'linux', 'x86_64')],
        ['linux/arm64', clidoFor('linux/arm64', 'linux', 'aarch64')],
        ['darwin/x64', clidoFor('darwin/x64', 'macos', 'x86_64')],
        ['darwin/arm64', clidoFor('darwin/arm64', 'macos', 'aarch64')],
    ]),
};
function platformOf(agent, machine) {
    const built = PLATFORMS[agent];
    const found = built.get(`${machine.system}/${machine.arch}`);
    if (found)
        return found;
    const all = [...built.values()].map(({ name }) => name).join(', ');
    throw new failure/* RunFailure */.a('install-failed', `There is no build of the ${agent} CLI for ${machine.system}/${machine.arch}, only for ${all}. ` +
        'Set cli-path to a CLI you installed yourself, or use another runner.');
}

// EXTERNAL MODULE: ./src/agent/install/release.ts + 1 modules
var install_release = __webpack_require__(8107);
;// CONCATENATED MODULE: ./src/agent/install/tool-folder.ts






/**
 * One CLI's place in the runner's tool cache. @actions/tool-cache is not asked for it: it finds only versions
 * that are semantic ones, which this CLI's are not, and trusts a marker file where we trust a manifest.
 */
function toolFolder(toolCache, plan) {
    return (0,external_node_path_.join)(toolCache, plan.release.folder, plan.version, archiveName(plan));
}
const filesOf = (folder) => (0,external_node_path_.join)(folder, 'files');
const manifestOf = (folder) => (0,external_node_path_.join)(folder, 'manifest.json');
/** Looks at what is in a place, every byte of it: only what matches its manifest and the plan is good. */
async function checkFolder(folder, plan) {
    try {
        await (0,promises_.stat)(folder);
    }
    catch {
        return { kind: 'absent' };
    }
    try {
        const parsed = ManifestSchema.safeParse(JSON.parse(await (0,promises_.readFile)(manifestOf(folder), 'utf8')));
        if (!parsed.success)
            return { kind: 'bad', why: 'its manifest cannot be read' };
        const manifest = parsed.data;
        const isMeant = manifest.version === plan.version &&
            manifest.platform === plan.platform.name &&
            (!plan.expected || manifest.archive === plan.expected.sha256) &&
            manifest.entries.some(({ kind, path }) => kind === 'file' && path === manifest.program);
        if (!isMeant)
            return { kind: 'bad', why: 'its manifest is not that of this build' };
        const difference = findDifference(manifest.entries, await readTree(filesOf(folder)));
        if (difference !== undefined)
            return { kind: 'bad', why: difference };
        return { kind: 'good', program: (0,external_node_path_.join)(filesOf(folder), manifest.program) };
    }
    catch (error) {
        return { kind: 'bad', why: messageOf(error) };
    }
}
const PARTIAL = '.partial-';
/** No installation takes this long: what is older was left by one that was killed. */
const ABANDONED_MS = 24 * 60 * 60_000;
/** A new empty folder beside the place, on the same disk, so that one rename can put it there. */
async function openPartial(folder, now) {
    const parent = (0,external_node_path_.dirname)(folder);
    await (0,promises_.mkdir)(parent, { recursive: true });
    await sweep(parent, now);
    const partial = (0,external_node_path_.join)(parent, `${PARTIAL}${(0,external_node_crypto_.randomUUID)()}`);
    await (0,promises_.mkdir)(partial, { mode: 0o755 });
    return partial;
}
async function sweep(parent, now) {
    for (const name of await (0,promises_.readdir)(parent)) {
        if (!name.startsWith(PARTIAL))
            continue;
        const path = (0,external_node_path_.join)(parent, name);
        const left = await (0,promises_.stat)(path).catch(() => undefined);
        if (left && now - left.mtimeMs > ABANDONED_MS)
            await (0,promises_.rm)(path, { recursive: true, force: true });
    }
}
/** Windows holds on to files a virus scanner is looking at. */
const RENAME_WAITS_MS = [100, 500, 2_000];
/**
 * Puts a finished folder in its place. Where another job was faster and its folder is good, that one is used;
 * a bad one is moved out of the way first.
 */
async function publish({ partial, folder, plan, program }, io) {
    for (let tried = 0;; tried += 1) {
        try {
            await (0,promises_.rename)(partial, folder);
        }
        catch (error) {
            const there = await checkFolder(folder, plan);
            if (there.kind === 'good') {
                await (0,promises_.rm)(partial, { recursive: true, force: true });
                return there.program;
            }
            if (there.kind === 'bad')
                await setAside(folder);
            const wait = RENAME_WAITS_MS[tried];
            if (wait === undefined)
                throw error;
            if (there.kind === 'absent')
                await io.sleep(wait);
            continue;
        }
        return (0,external_node_path_.join)(filesOf(folder), program);
    }
}
/** Moved first, then removed: at no moment is there half of it under its name. */
async function setAside(folder) {
    const away = (0,external_node_path_.join)((0,external_node_path_.dirname)(folder), `${PARTIAL}${(0,external_node_crypto_.randomUUID)()}`);
    try {
        await (0,promises_.rename)(folder, away);
    }
    catch {
        // Another job has moved it already.
        return;
    }
    await (0,promises_.rm)(away, { recursive: true, force: true });
}

// EXTERNAL MODULE: ./src/assert-never.ts
var assert_never = __webpack_require__(8050);
// EXTERNAL MODULE: external "node:zlib"
var external_node_zlib_ = __webpack_require__(8522);
;// CONCATENATED MODULE: ./src/agent/install/archive-entry.ts
/** An archive that is damaged, or that would write where it must not. */
class ArchiveProblem extends Error {
    name = 'ArchiveProblem';
}
/** A name in an archive → the path below the folder it is unpacked to. Nothing that could lead out passes. */
function entryPath(name) {
    const parts = name.split('/').filter((part) => part !== '' && part !== '.');
    const isAbsolute = name.startsWith('/') || /^[A-Za-z]:/.test(name);
    // A backslash separates folders on Windows and nowhere else: no honest archive of this CLI has one.
    if (isAbsolute || parts.includes('..') || /[\\\0]/.test(name)) {
        throw new ArchiveProblem(`the entry ${JSON.stringify(name)} leads out of the archive`);
    }
    return parts.join('/');
}
/**
 * A link's target, checked. Going up is fine only at the beginning and only as far as the archive's top:
 * further on, `..` would be taken from wherever another link has led to. So a link ends inside, whatever links
 * it passes on the way.
 */
function checkLinkTarget(path, target) {
    const parts = target.split('/').filter((part) => part !== '' && part !== '.');
    const ups = parts.findIndex((part) => part !== '..');
    const rising = ups < 0 ? parts.length : ups;
    const depth = path.split('/').length - 1;
    const isAbsolute = target.startsWith('/') || /^[A-Za-z]:/.test(target);
    const isOutside = rising > depth || parts.slice(rising).includes('..');
    if (target === '' || isAbsolute || isOutside || /[\\\0]/.test(target)) {
        throw new ArchiveProblem(`the link ${JSON.stringify(path)} leads out of the archive`);
    }
}
/** Names that may be the same file on a disk that ignores case or spells accents in its own way. */
const foldedPath = (path) => path.normalize('NFKC').toUpperCase().toLowerCase();

;// CONCATENATED MODULE: ./src/agent/install/tar-header.ts

const BLOCK = 512;
/** 512 bytes → header; nothing for a block of zeros, which ends an archive. */
function parseHeader(block) {
    if (block.every((byte) => byte === 0))
        return undefined;
    if (readNumber(block, 148, 8) !== checksumOf(block)) {
        throw new ArchiveProblem('a header does not match its checksum');
    }
    const name = tar_header_readText(block, 0, 100);
    const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? tar_header_readText(block, 345, 155) : '';
    return {
        name: prefix === '' ? name : `${prefix}/${name}`,
        type: String.fromCharCode(block[156] ?? 0),
        mode: readNumber(block, 100, 8),
        size: readNumber(block, 124, 12),
        linkTarget: tar_header_readText(block, 157, 100),
    };
}
/** `length key=value\n` again and again, where the length counts itself and is in bytes. */
function parseRecords(data) {
    const records = new Map();
    for (let at = 0; at < data.length;) {
        const space = data.indexOf(0x20, at);
        const length = Number(data.toString('latin1', at, space < 0 ? at : space));
        const end = at + length;
        if (!Number.isInteger(length) || length < 5 || end > data.length || data[end - 1] !== 0x0a) {
            throw new ArchiveProblem('an extended header cannot be read');
        }
        const record = data.toString('utf8', space + 1, end - 1);
        const equals = record.indexOf('=');
        if (equals < 1)
            throw new ArchiveProblem('an extended header cannot be read');
        records.set(record.slice(0, equals), record.slice(equals + 1));
        at = end;
    }
    return records;
}
/** The sum of all bytes, the checksum's own taken as blanks. */
function checksumOf(block) {
    let sum = 8 * 0x20;
    for (let index = 0; index < BLOCK; index += 1) {
        if (index < 148 || index >= 156)
            sum += block[index] ?? 0;
    }
    return sum;
}
function tar_header_readText(block, start, length) {
    const end = block.indexOf(0, start);
    return block.toString('utf8', start, end < 0 || end > start + length ? start + length : end);
}
/** Octal digits; the binary form for numbers that do not fit is for files far larger than any here. */
function readNumber(block, start, length) {
    const text = tar_header_readText(block, start, length).trim();
    if (!/^[0-7]*$/.test(text))
        throw new ArchiveProblem('a header holds a number that cannot be read');
    return text === '' ? 0 : Number.parseInt(text, 8);
}

;// CONCATENATED MODULE: ./src/agent/install/tar-reader.ts


/** A long name is at most a few kilobytes. */
const MOST_HEADER_BYTES = 1024 * 1024;
/**
 * The entries of a tar archive, in order: ustar, GNU and pax. A file's content is to be read before the next
 * entry is asked for; what is left of it is skipped.
 */
async function* readTar(chunks) {
    const bytes = readBytes(chunks);
    let long = new Map();
    for (;;) {
        const block = await bytes.exactly(BLOCK);
        const header = parseHeader(block);
        if (!header)
            break;
        const own = await readExtension(header, bytes);
        if (own) {
            long = new Map([...long, ...own]);
            continue;
        }
        const size = Number(long.get('size') ?? header.size);
        if (!Number.isSafeInteger(size) || size < 0)
            throw new ArchiveProblem('an entry has no valid size');
        const name = long.get('path') ?? header.name;
        const target = long.get('linkpath') ?? header.linkTarget;
        long = new Map();
        const content = bytes.pieces(size);
        yield toEntry({ ...header, name, size, linkTarget: target }, content);
        for await (const _ of content)
            ;
        await bytes.exactly(padding(size));
    }
    // To the very end, because the checksum of the compression stands there.
    await bytes.drain();
}
/** Headers that speak about the next entry, or about all of them. */
async function readExtension({ type, size }, bytes) {
    if (!['x', 'g', 'L', 'K'].includes(type))
        return undefined;
    if (size > MOST_HEADER_BYTES)
        throw new ArchiveProblem('an extended header is too large');
    const data = await bytes.exactly(size);
    await bytes.exactly(padding(size));
    const text = data.toString('utf8').replace(/\0.*$/s, '');
    switch (type) {
        case 'L':
            return new Map([['path', text]]);
        case 'K':
            return new Map([['linkpath', text]]);
        case 'x':
            return parseRecords(data);
        default:
            // Global ones hold comments and dates in practice; a name for every entry would make no sense.
            return new Map();
    }
}
function toEntry(header, content) {
    const { type, name, mode, size, linkTarget } = header;
    switch (type) {
        case '0':
        case '\0':
        case '7':
            // Before there was a type for folders, a slash at the end said so.
            if (name.endsWith('/'))
                return { kind: 'folder', name };
            return { kind: 'file', name, isExecutable: (mode & 0o111) !== 0, bytes: size, content };
        case '1':
            return { kind: 'hard-link', name, target: linkTarget };
        case '2':
            return { kind: 'link', name, target: linkTarget };
        case '5':
            return { kind: 'folder', name };
        default:
            throw new ArchiveProblem(`the entry ${JSON.stringify(name)} is neither a file, a folder nor a link`);
    }
}
const padding = (size) => (BLOCK - (size % BLOCK)) % BLOCK;
function readBytes(chunks) {
    const source = chunks[Symbol.asyncIterator]();
    let rest = Buffer.alloc(0);
    const some = async (most) => {
        while (rest.length === 0) {
            const next = await source.next();
            if (next.done)
                throw new ArchiveProblem('it ends in the middle');
            rest = next.value;
        }
        const piece = rest.subarray(0, most);
        rest = rest.subarray(piece.length);
        return piece;
    };
    return {
        async exactly(length) {
            const parts = [];
            for (let missing = length; missing > 0; missing -= parts.at(-1)?.length ?? 0) {
                parts.push(await some(missing));
            }
            return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
        },
        async *pieces(length) {
            for (let missing = length; missing > 0;) {
                const piece = await some(missing);
                missing -= piece.length;
                yield piece;
            }
        },
        async drain() {
            while (!(await source.next()).done)
                ;
        },
    };
}

;// CONCATENATED MODULE: ./src/agent/install/unpack-tar.ts









/** Large pieces, because each one costs a turn of the loop. */
const unpack_tar_CHUNK_BYTES = 512 * 1024;
/** Against archives made to fill the disk: many times what the CLI has. */
const LIMITS = { bytes: 8 * 1024 ** 3, entries: 200_000 };
/**
 * Unpacks a tar.gz into an empty folder and says what is in it. The system's tar is not used: what it refuses
 * differs between GNU's, BSD's and their versions, and here every entry is checked before it is made. Nothing
 * is written through a link, no link and no hard link leads out, and no file is written twice.
 */
async function unpackTar(archive, folder, limits = LIMITS) {
    const tree = { folder, entries: new Map(), links: new Set(), folders: new Set(), bytes: 0 };
    await (0,external_node_stream_promises_.pipeline)((0,external_node_fs_.createReadStream)(archive, { highWaterMark: unpack_tar_CHUNK_BYTES }), (0,external_node_zlib_.createGunzip)({ chunkSize: unpack_tar_CHUNK_BYTES }), async (chunks) => {
        let count = 0;
        for await (const entry of readTar(chunks)) {
            count += 1;
            if (count > limits.entries)
                throw new ArchiveProblem(`it has more than ${limits.entries} entries`);
            await make(entry, tree, limits);
        }
    });
    return [...tree.entries.values()];
}
async function make(entry, tree, limits) {
    const path = entryPath(entry.name);
    refuseLinksOnTheWay(path, tree);
    if (entry.kind === 'folder') {
        await makeFolder(path, tree);
        return;
    }
    if (path === '')
        throw new ArchiveProblem('an entry has no name');
    await makeFolder((0,external_node_path_.dirname)(path), tree);
    tree.entries.set(path, await once(path, () => fill(entry, { path, tree, limits })));
}
async function fill(entry, { path, tree, limits }) {
    switch (entry.kind) {
        case 'file':
            return writeFile(entry, { path, tree, limits });
        case 'link':
            checkLinkTarget(path, entry.target);
            await (0,promises_.symlink)(entry.target, (0,external_node_path_.join)(tree.folder, path));
            tree.links.add(foldedPath(path));
            return { kind: 'link', path, target: entry.target };
        case 'hard-link': {
            const target = tree.entries.get(entryPath(entry.target));
            // Only to a file of this archive that is there already: then it cannot be anything outside.
            if (target?.kind !== 'file') {
                throw new ArchiveProblem(`the hard link ${JSON.stringify(path)} is not to a file of the archive`);
            }
            await (0,promises_.link)((0,external_node_path_.join)(tree.folder, target.path), (0,external_node_path_.join)(tree.folder, path));
            return { ...target, path };
        }
    }
}
/** What comes in one piece anyway is written at once: for thousands of small files the waiting is the work. */
const SMALL_BYTES = 256 * 1024;
async function writeFile({ content, bytes, isExecutable }, { path, tree, limits }) {
    tree.bytes += bytes;
    if (tree.bytes > limits.bytes)
        throw new ArchiveProblem(`it unpacks to more than ${limits.bytes} bytes`);
    const target = { path: (0,external_node_path_.join)(tree.folder, path), mode: isExecutable ? 0o755 : 0o644 };
    const sha256 = await (bytes <= SMALL_BYTES ? writeSmall(content, target) : writeLarge(content, target));
    return { kind: 'file', path, bytes, sha256, isExecutable };
}
// The flag `wx` makes the file or fails: it neither replaces one nor follows a link.
async function writeSmall(content, { path, mode }) {
    const pieces = [];
    for await (const piece of content)
        pieces.push(piece);
    const data = Buffer.concat(pieces);
    (0,external_node_fs_.writeFileSync)(path, data, { flag: 'wx', mode });
    return (0,external_node_crypto_.createHash)('sha256').update(data).digest('hex');
}
/** Written while it is hashed: the hash takes this thread, the write another. */
async function writeLarge(content, { path, mode }) {
    const hash = (0,external_node_crypto_.createHash)('sha256');
    const file = await (0,promises_.open)(path, 'wx', mode);
    try {
        for await (const piece of content) {
            const written = writeAll(file, piece);
            hash.update(piece);
            await written;
        }
    }
    finally {
        await file.close();
    }
    return hash.digest('hex');
}
async function writeAll(file, piece) {
    for (let at = 0; at < piece.length;) {
        at += (await file.write(piece, at, piece.length - at)).bytesWritten;
    }
}
/** Each folder above a path, and the path itself, must not be a link: it could point anywhere by then. */
function refuseLinksOnTheWay(path, { links }) {
    const parts = foldedPath(path).split('/');
    const isBehindLink = parts.some((_, index) => links.has(parts.slice(0, index + 1).join('/')));
    if (isBehindLink)
        throw new ArchiveProblem(`the entry ${JSON.stringify(path)} would be written through a link`);
}
async function makeFolder(path, { folder, folders }) {
    if (folders.has(path))
        return;
    folders.add(path);
    await once(path, () => (0,promises_.mkdir)((0,external_node_path_.join)(folder, path), { recursive: true }));
}
/** A name that is taken already is the archive's fault, and said so. */
async function once(path, work) {
    try {
        return await work();
    }
    catch (error) {
        const isTaken = ['EEXIST', 'ENOTDIR'].includes(codeOf(error));
        if (isTaken)
            throw new ArchiveProblem(`the entry ${JSON.stringify(path)} is there twice`);
        throw error;
    }
}

;// CONCATENATED MODULE: ./src/agent/install/zip-directory.ts

/** The end record is the last thing in a zip, but for a comment of at most 64 KiB. */
const END_SEARCH_BYTES = 22 + 65_535;
const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const LINK_MODE = 0o120000;
const KIND_BITS = 0o170000;
/** The archive's tail and size → where its directory is. */
function findDirectory(tail, size) {
    const at = tail.lastIndexOf(littleEndian(END));
    // It has to reach exactly to the end: else two programs could take two different records for it.
    const isEnd = at >= 0 && at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) === tail.length;
    if (!isEnd)
        throw new ArchiveProblem('it is not a zip');
    const count = tail.readUInt16LE(at + 10);
    const bytes = tail.readUInt32LE(at + 12);
    const offset = tail.readUInt32LE(at + 16);
    // The marks of the larger format, which no build of the CLI comes near.
    if (count === 0xffff || bytes === 0xffffffff || offset === 0xffffffff || offset + bytes > size) {
        throw new ArchiveProblem('its directory is larger than this action reads, or damaged');
    }
    return { offset, bytes, count };
}
function readEntries(directory, count) {
    const entries = [];
    let at = 0;
    for (let index = 0; index < count; index += 1) {
        if (at + 46 > directory.length || directory.readUInt32LE(at) !== CENTRAL) {
            throw new ArchiveProblem('its directory is damaged');
        }
        const [name, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
        const nameEnd = at + 46 + (name ?? 0);
        entries.push({
            rawName: directory.subarray(at + 46, nameEnd),
            attributes: directory.readUInt32LE(at + 38),
            offset: directory.readUInt32LE(at + 42),
        });
        at = nameEnd + (extra ?? 0) + (comment ?? 0);
    }
    if (at !== directory.length)
        throw new ArchiveProblem('its directory is damaged');
    return entries;
}
/** Refuses what could be written outside: names that lead out, links of any kind, two names for one place. */
function checkZipDirectory(all) {
    const seen = new Set();
    for (const { entry, local } of all) {
        const name = entry.rawName.toString('utf8');
        const path = foldedPath(entryPath(name));
        if (((entry.attributes >>> 16) & KIND_BITS) === LINK_MODE) {
            throw new ArchiveProblem(`the entry ${JSON.stringify(name)} is a link`);
        }
        if (seen.has(path))
            throw new ArchiveProblem(`the entry ${JSON.stringify(name)} is there twice`);
        seen.add(path);
        const isSame = local.length === 30 + entry.rawName.length &&
            local.readUInt32LE(0) === LOCAL &&
            local.readUInt16LE(26) === entry.rawName.length &&
            local.subarray(30).equals(entry.rawName);
        if (!isSame)
            throw new ArchiveProblem(`the entry ${JSON.stringify(name)} has two names`);
    }
}
function littleEndian(value) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
}

;// CONCATENATED MODULE: ./src/agent/install/unpack-zip.ts


/**
 * Unpacks a zip into an empty folder with the system's own program, after every name in it was checked: the
 * names the directory at its end gives, and those before each file, which must be the same.
 */
async function unpackZip(archive, folder) {
    await checkZip(archive);
    const { extractZip } = await Promise.all(/* import() */[__webpack_require__.e(119), __webpack_require__.e(942), __webpack_require__.e(588), __webpack_require__.e(805)]).then(__webpack_require__.bind(__webpack_require__, 9805));
    await extractZip(archive, folder);
}
async function checkZip(archive) {
    const file = await (0,promises_.open)(archive, 'r');
    const read = async (at, length) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
        return buffer.subarray(0, bytesRead);
    };
    try {
        const { size } = await file.stat();
        const tail = Math.min(size, END_SEARCH_BYTES);
        const directory = findDirectory(await read(size - tail, tail), size);
        const entries = readEntries(await read(directory.offset, directory.bytes), directory.count);
        checkZipDirectory(await Promise.all(entries.map(async (entry) => ({ entry, local: await read(entry.offset, 30 + entry.rawName.length) }))));
    }
    finally {
        await file.close();
    }
}

;// CONCATENATED MODULE: ./src/agent/install/unpack.ts








/** Unpacks a verified archive into a new folder, and finds the program in it. */
async function unpack(archive, folder, plan) {
    await (0,promises_.mkdir)(folder, { recursive: true });
    const entries = await unpackEntries(archive, folder, plan);
    // The archive has one top folder; some old builds had none.
    const { program } = plan.platform;
    const found = [`dist-package/${program}`, program].find((path) => entries.some((entry) => entry.kind === 'file' && entry.path === path));
    if (found !== undefined)
        return { entries, program: found };
    throw new failure/* RunFailure */.a('install-failed', `The archive of ${plan.release.title} ${plan.version} holds no ${program}.`);
}
async function unpackEntries(archive, folder, plan) {
    const { packing, program } = plan.platform;
    try {
        switch (packing) {
            case 'tar.gz':
                return await unpackTar(archive, folder);
            case 'zip':
                await unpackZip(archive, folder);
                return await readTree(folder);
            case 'binary':
                await (0,promises_.copyFile)(archive, (0,external_node_path_.join)(folder, program));
                await (0,promises_.chmod)((0,external_node_path_.join)(folder, program), 0o755);
                return await readTree(folder);
            default:
                return (0,assert_never/* assertNever */.x)(packing);
        }
    }
    catch (error) {
        throw new failure/* RunFailure */.a('install-failed', `The archive of ${plan.release.title} ${plan.version} could not be unpacked: ${messageOf(error)}.`, { cause: error });
    }
}

// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(1421);
// EXTERNAL MODULE: ./src/agent/environment.ts
var environment = __webpack_require__(3120);
// EXTERNAL MODULE: ./src/agent/windows-command.ts
var windows_command = __webpack_require__(1416);
;// CONCATENATED MODULE: ./src/agent/install/version-check.ts






/** The answer is one line; a program that floods us is not the CLI. */
const MOST_OUTPUT = 64 * 1024;
/** Asks what was installed for its version, in an environment and a home with nothing in them. */
async function checkVersion({ program, plan, scratch }, io) {
    const { title } = plan.release;
    const answer = await version_check_ask(program, scratch, io);
    if (answer.kind === 'failed') {
        throw new failure/* RunFailure */.a('install-failed', `${title} ${plan.version} was installed, but ${answer.why} when asked for its version.`);
    }
    const words = answer.text.split(/\s+/).map((word) => word.replace(/^v(?=\d)/, ''));
    if (!words.includes(plan.version)) {
        throw new failure/* RunFailure */.a('install-failed', `${title} ${plan.version} was asked for, but what was downloaded calls itself ` +
            `${JSON.stringify(answer.text.trim().slice(0, 200))}.`);
    }
}
async function version_check_ask(program, scratch, io) {
    const home = (0,external_node_path_.join)(scratch, 'version-home');
    const temp = (0,external_node_path_.join)(home, 'tmp');
    await (0,promises_.mkdir)((0,external_node_path_.join)(home, '.cursor'), { recursive: true });
    await (0,promises_.mkdir)(temp, { recursive: true });
    // Else the first thing a new CLI does may be to replace itself by a build nobody verified.
    const config = {
        version: 1,
        editor: { vimMode: false },
        permissions: { allow: [], deny: [] },
        channel: 'static',
    };
    await (0,promises_.writeFile)((0,external_node_path_.join)(home, '.cursor', 'cli-config.json'), JSON.stringify(config));
    const env = (0,environment/* buildEnvironment */.AF)({ home, temp, passEnv: [], own: {} }, io.env, process.platform);
    try {
        return await readOutput(start(program, home, env), io.versionMs);
    }
    finally {
        await (0,promises_.rm)(home, { recursive: true, force: true, maxRetries: 3 });
    }
}
function start(program, cwd, env) {
    const isWindows = process.platform === 'win32';
    const isBatch = isWindows && /\.(cmd|bat)$/i.test(program);
    const { file, args } = isBatch
        ? (0,windows_command/* windowsCommand */.$)(program, ['--version'])
        : { file: program, args: ['--version'] };
    return (0,external_node_child_process_.spawn)(file, args, {
        cwd,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of its own, so that what it starts can be ended with it.
        detached: !isWindows,
        windowsHide: true,
        windowsVerbatimArguments: isBatch,
    });
}
function readOutput(child, limitMs) {
    return new Promise((resolve) => {
        let text = '';
        let errors = '';
        const settle = (answer) => {
            clearTimeout(timer);
            endGroup(child);
            child.stdout?.destroy();
            child.stderr?.destroy();
            resolve(answer);
        };
        const timer = setTimeout(() => {
            settle({ kind: 'failed', why: `it did not answer within ${limitMs / 1000} s` });
        }, limitMs);
        child.stdout?.setEncoding('utf8').on('data', (chunk) => {
            text = (text + chunk).slice(0, MOST_OUTPUT);
        });
        child.stderr?.setEncoding('utf8').on('data', (chunk) => {
            errors = (errors + chunk).slice(0, MOST_OUTPUT);
        });
        child.once('error', (error) => {
            settle({ kind: 'failed', why: `it could not be started (${error.message})` });
        });
        child.once('close', (code, signal) => {
            const end = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`;
            const said = errors.trim() === '' ? '' : ` and said ${JSON.stringify(errors.trim().slice(0, 200))}`;
            settle(code === 0 ? { kind: 'text', text } : { kind: 'failed', why: `it ${end}${said}` });
        });
    });
}
function endGroup(child) {
    if (child.pid === undefined)
        return;
    try {
        if (process.platform === 'win32')
            child.kill();
        else
            process.kill(-child.pid, 'SIGKILL');
    }
    catch {
        // It has ended, and so has everything it started.
    }
}

;// CONCATENATED MODULE: ./src/agent/install/install.ts















/**
 * A verified CLI: from the runner's tool cache, else from an archive in the Actions cache, else downloaded.
 * `scratch` is a folder of this run; what is not kept in the tool cache is unpacked there.
 */
async function installCli(request, scratch, io) {
    const release = install_release/* RELEASES */.p[request.agent];
    const platform = platformOf(request.agent, io.machine);
    const wanted = request.version ?? release.defaultVersion;
    const version = wanted === 'latest' ? await findNewest(release, request.downloadUrl, io) : wanted;
    const plan = planInstall({ ...request, version }, release, platform);
    const kept = request.cache && io.toolCache !== undefined ? toolFolder(io.toolCache, plan) : undefined;
    const program = kept === undefined ? undefined : await findKept(kept, plan, io);
    if (program !== undefined)
        return { path: program, version, source: 'tool-cache' };
    await (0,promises_.mkdir)(scratch, { recursive: true });
    const archive = await fetchArchive(plan, { scratch, useCache: request.cache }, io);
    try {
        const path = await place({ plan, archive, kept, scratch }, io);
        if (archive.source === 'download' && request.cache)
            await keepArchive(plan, archive.path, io);
        return { path, version, source: archive.source };
    }
    finally {
        await (0,promises_.rm)(archive.path, { force: true });
    }
}
async function findKept(folder, plan, io) {
    const found = await checkFolder(folder, plan);
    const name = `${plan.release.title} ${plan.version}`;
    switch (found.kind) {
        case 'good':
            io.info(`Using ${name} from the tool cache; its files match their manifest.`);
            if (!plan.expected)
                io.warning(unverified(plan, undefined));
            return found.program;
        case 'bad':
            io.warning(`${name} in the tool cache is damaged (${found.why}); it is installed again.`);
            await setAside(folder);
            return undefined;
        case 'absent':
            return undefined;
    }
}
/** The archive on disk, verified. Nothing of it has been unpacked when this throws. */
async function fetchArchive(plan, { scratch, useCache }, io) {
    const target = (0,external_node_path_.join)(scratch, `archive-${(0,external_node_crypto_.randomUUID)()}`);
    if (useCache && (await restoreArchive(plan, target, io))) {
        return { path: target, sha256: plan.expected?.sha256 ?? '', source: 'actions-cache' };
    }
    const address = (0,install_address/* showAddress */.mC)(plan.url);
    io.info(`Downloading ${plan.release.title} ${plan.version} from ${address}`);
    const arrived = await download({ url: plan.url, target, expectedBytes: plan.expected?.bytes }, io).catch((error) => {
        throw new failure/* RunFailure */.a('install-failed', `${notDownloaded(plan)}: ${messageOf(error)}.${hint(error)}`, {
            cause: error,
        });
    });
    if (!plan.expected) {
        io.warning(unverified(plan, arrived.sha256));
    }
    else if (arrived.sha256 !== plan.expected.sha256 || isOtherSize(plan, arrived.bytes)) {
        await (0,promises_.rm)(target, { force: true });
        const size = plan.expected.bytes === undefined ? '' : ` (${plan.expected.bytes} bytes)`;
        throw new failure/* RunFailure */.a('checksum-mismatch', `${address} has sha256 ${arrived.sha256} (${arrived.bytes} bytes), ` +
            `expected was ${plan.expected.sha256}${size}. The file was removed; nothing of it was unpacked or run.`);
    }
    else {
        io.info(`Verified: sha256 ${arrived.sha256}`);
    }
    return { path: target, sha256: arrived.sha256, source: 'download' };
}
const isOtherSize = ({ expected }, bytes) => expected?.bytes !== undefined && expected.bytes !== bytes;
const notDownloaded = ({ release, version, url }) => `${release.title} ${version} could not be downloaded from ${(0,install_address/* showAddress */.mC)(url)}`;
const hint = (error) => error instanceof HttpStatus && [403, 404, 410].includes(error.status)
    ? ' Check that this version exists for this platform, and cli-download-url if you set it.'
    : '';
function unverified({ release, version }, actual) {
    const advice = actual === undefined
        ? 'Set cli-sha256 once you have confirmed it elsewhere.'
        : `It is ${actual}; set cli-sha256 to it once you have confirmed it elsewhere.`;
    return (`The sha256 of ${release.title} ${version} is not known to this action, ` +
        `so the download could not be verified. ${advice}`);
}
/** The archive is what the cache holds, so that the pinned hash vouches for a hit as it does for a download. */
const cacheKey = (plan) => [plan.release.folder, plan.version, plan.platform.name.replace('/', '-'), plan.expected?.sha256].join('-');
const archivePath = (plan, io) => (0,external_node_path_.join)(io.archiveFolder, `${plan.release.folder}-${plan.version}-${archiveName(plan)}`);
/** Without an expected hash nothing could tell a good archive from a planted one: then there is no hit. */
async function restoreArchive(plan, target, io) {
    if (!plan.expected)
        return false;
    const restored = archivePath(plan, io);
    try {
        await (0,promises_.mkdir)(io.archiveFolder, { recursive: true });
        await (0,promises_.rm)(restored, { recursive: true, force: true });
        if (!(await io.archiveCache.restore(restored, cacheKey(plan))))
            return false;
        // Taken away first: what is hashed is then what is unpacked, whoever writes to the old path.
        await (0,promises_.rename)(restored, target);
        const { sha256 } = await readContent(target);
        if (sha256 === plan.expected.sha256) {
            io.info(`Using ${plan.release.title} ${plan.version} from the Actions cache. Verified: sha256 ${sha256}`);
            return true;
        }
        io.warning(`The Actions cache holds something else under the name of ${plan.release.title} ${plan.version} ` +
            `(sha256 ${sha256}, expected was ${plan.expected.sha256}); it is not used.`);
    }
    catch {
        // A cache that does not work is a cache without the file.
    }
    await (0,promises_.rm)(target, { recursive: true, force: true });
    return false;
}
async function keepArchive(plan, archive, io) {
    if (!plan.expected)
        return;
    const path = archivePath(plan, io);
    try {
        await (0,promises_.link)(archive, path).catch(() => (0,promises_.copyFile)(archive, path));
        await io.archiveCache.save(path, cacheKey(plan));
    }
    catch {
        // The next run downloads it again.
    }
    finally {
        await (0,promises_.rm)(path, { force: true });
    }
}
/** Unpacked in a folder that nobody knows, asked for its version there, and only then put in its place. */
async function place({ plan, archive, kept, scratch }, io) {
    const partial = await openFolder(kept, scratch, io);
    try {
        const { entries, program } = await unpack(archive.path, filesOf(partial.path), plan);
        await checkVersion({ program: (0,external_node_path_.join)(filesOf(partial.path), program), plan, scratch }, io);
        const manifest = {
            format: 1,
            version: plan.version,
            platform: plan.platform.name,
            archive: archive.sha256,
            program,
            entries,
        };
        await (0,promises_.writeFile)(manifestOf(partial.path), JSON.stringify(manifest));
        if (partial.target === undefined)
            return (0,external_node_path_.join)(filesOf(partial.path), program);
        return await publish({ partial: partial.path, folder: partial.target, plan, program }, io);
    }
    catch (error) {
        await (0,promises_.rm)(partial.path, { recursive: true, force: true });
        if (error instanceof failure/* RunFailure */.a)
            throw error;
        throw new failure/* RunFailure */.a('install-failed', `${plan.release.title} ${plan.version} could not be installed: ${messageOf(error)}.`, { cause: error });
    }
}
/** In the tool cache, or, where that is not ours to write, in this run's own folder. */
async function openFolder(kept, scratch, io) {
    if (kept !== undefined) {
        try {
            return { path: await openPartial(kept, io.now()), target: kept };
        }
        catch (error) {
            io.info(`The tool cache cannot be written (${messageOf(error)}); the CLI is installed for this run only.`);
        }
    }
    const path = (0,external_node_path_.join)(scratch, `cli-${(0,external_node_crypto_.randomUUID)()}`);
    await (0,promises_.mkdir)(path, { recursive: true });
    return { path };
}


/***/ })

};
