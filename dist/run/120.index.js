export const id = 120;
export const ids = [120];
export const modules = {

/***/ 120:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  installCursor: () => (/* binding */ installCursor)
});

// EXTERNAL MODULE: ./node_modules/@actions/core/lib/core.js + 5 modules
var core = __webpack_require__(2040);
// EXTERNAL MODULE: ./node_modules/@actions/tool-cache/lib/tool-cache.js + 2 modules
var tool_cache = __webpack_require__(9805);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: external "node:stream/promises"
var external_node_stream_promises_ = __webpack_require__(6466);
// EXTERNAL MODULE: ./src/failure.ts
var failure = __webpack_require__(1633);
;// CONCATENATED MODULE: ./src/agent/install/pins.ts
const CURSOR_PINS = {
    '2026.10.01-e373342': {
        'linux/x64': pin('a79726c6e644520e993970be4c45775a6889802b67abe461a677a53219ae28e8', 182613962),
        'linux/arm64': pin('785c5f6bf2a60eb1121e27ed8c14f5ee07ed1b5b6692324f2d9a997238245eb5', 180560415),
        'darwin/x64': pin('a80db6e15626e0aa7af60fab3a95c98a243e2c1513c0c9485344a553d7b7b00e', 184196702),
        'darwin/arm64': pin('629e51de43a0b7fb3b86f5ebc7e579f7df7df941b39f29e82945cde750145afc', 176796992),
        'windows/x64': pin('31896ce9a43f63c8ae7ff3c4bee868213d6d02d60fb49908bef6dc91d582f6ee', 77156248),
        'windows/arm64': pin('3341c84d1de73461667df152967dc3a10394fb9792115cac1918457fe85c44b3', 75076180),
    },
    '2026.09.10-fd3934a': {
        'linux/x64': pin('27997c8391ad853a5a732b1845db8ef82a8ba6afb0f7829cc739464f8966e96e', 179673253),
        'linux/arm64': pin('e0494438b01c37bc34848491d1f3478ef469494c56caf020de11796d146db64a', 177655979),
        'darwin/x64': pin('964cc72e88125c6b48ecaaebef68bf7cb752eb7b9d010a5535cf9f8e677dcf83', 181409095),
        'darwin/arm64': pin('aec0b01ae056de48a02fe315fbf0580eb91377752d993307499988cbe0285423', 174178929),
        'windows/x64': pin('cdf0b9b7c2f8892d4c2d2ccbf38226c831a0d56a043e2132d90f1aefac90b846', 74169932),
        'windows/arm64': pin('acb34343a1915085fd882d392b4d3c35ecf54b15467df6a4cf34c62e065412e8', 72069603),
    },
};
const DEFAULT_CURSOR_VERSION = '2026.10.01-e373342';
function pin(sha256, bytes) {
    return { sha256, bytes };
}

;// CONCATENATED MODULE: ./src/agent/install/plan.ts

const VENDOR_URL = 'https://downloads.cursor.com/lab/{version}/{os}/{arch}/agent-cli-package.{ext}';
function planInstall(request, platform) {
    const version = request.version ?? DEFAULT_CURSOR_VERSION;
    const plan = { version, url: archiveUrl(request.downloadUrl, version, platform) };
    const expected = expectedArchive(request, pinnedArchive(version, platform));
    return expected ? { ...plan, expected } : plan;
}
function pinnedArchive(version, platform) {
    return Object.hasOwn(CURSOR_PINS, version) ? CURSOR_PINS[version]?.[platform.name] : undefined;
}
function expectedArchive(request, pinned) {
    if (request.sha256 === undefined)
        return pinned;
    return request.sha256 === pinned?.sha256 ? pinned : { sha256: request.sha256 };
}
/** A mirror is a template, or a base under which the vendor's own layout is expected. */
function archiveUrl(mirror, version, platform) {
    const template = mirror === undefined ? VENDOR_URL : asTemplate(mirror);
    const values = { version, os: platform.os, arch: platform.arch, ext: platform.ext };
    return template.replace(/\{(version|os|arch|ext)\}/g, (_, name) => values[name] ?? '');
}
function asTemplate(mirror) {
    if (/\{(version|os|arch|ext)\}/.test(mirror))
        return mirror;
    return `${mirror.replace(/\/+$/, '')}/{version}/{os}/{arch}/agent-cli-package.{ext}`;
}

;// CONCATENATED MODULE: ./src/agent/install/platform.ts

const SYSTEMS = { linux: 'linux', darwin: 'darwin', win32: 'windows' };
const MACHINES = { x64: 'x64', arm64: 'arm64' };
/** The platform as the vendor names it. */
function platformOf(system, machine) {
    const os = Object.hasOwn(SYSTEMS, system) ? SYSTEMS[system] : undefined;
    const arch = Object.hasOwn(MACHINES, machine) ? MACHINES[machine] : undefined;
    if (!os || !arch) {
        throw new failure/* RunFailure */.a('install-failed', `There is no build of the CLI for ${system}/${machine}. Set cli-path to a CLI you installed yourself.`);
    }
    return {
        name: `${os}/${arch}`,
        os,
        arch,
        ext: os === 'windows' ? 'zip' : 'tar.gz',
        program: os === 'windows' ? 'cursor-agent.cmd' : 'cursor-agent',
    };
}

;// CONCATENATED MODULE: ./src/agent/install/install.ts










/** Downloads the pinned build, verifies it, unpacks it into `folder` and finds the program in it. */
async function installCursor(request, folder) {
    const platform = platformOf(process.platform, process.arch);
    const plan = planInstall(request, platform);
    const archive = await download(plan, (0,external_node_path_.join)(folder, `archive.${platform.ext}`));
    try {
        await verify(plan, archive);
        const unpacked = await unpack(archive, (0,external_node_path_.join)(folder, 'cli'), platform);
        return { path: findProgram(unpacked, platform, plan), version: plan.version };
    }
    finally {
        await (0,promises_.rm)(archive, { force: true });
    }
}
async function download(plan, target) {
    core/* info */.pq(`Downloading Cursor CLI ${plan.version} from ${plan.url}`);
    try {
        return await tool_cache/* downloadTool */.bq(plan.url, target);
    }
    catch (error) {
        await (0,promises_.rm)(target, { force: true });
        throw new failure/* RunFailure */.a('install-failed', `Cursor CLI ${plan.version} could not be downloaded from ${plan.url}: ${messageOf(error)}.`, { cause: error });
    }
}
async function verify(plan, archive) {
    const actual = await sha256Of(archive);
    if (!plan.expected) {
        core/* warning */.$e(`The sha256 of Cursor CLI ${plan.version} is not known to this action, so the download could not be verified. ` +
            `It is ${actual}; set cli-sha256 to it once you have confirmed it elsewhere.`);
        return;
    }
    if (actual !== plan.expected.sha256) {
        throw new failure/* RunFailure */.a('checksum-mismatch', `${plan.url} has sha256 ${actual}, expected was ${plan.expected.sha256}.`);
    }
    core/* info */.pq(`Verified: sha256 ${actual}`);
}
async function sha256Of(file) {
    const hash = (0,external_node_crypto_.createHash)('sha256');
    await (0,external_node_stream_promises_.pipeline)((0,external_node_fs_.createReadStream)(file), hash);
    return hash.digest('hex');
}
async function unpack(archive, folder, platform) {
    try {
        return platform.ext === 'zip'
            ? await tool_cache/* extractZip */.JE(archive, folder)
            : await tool_cache/* extractTar */.nN(archive, folder);
    }
    catch (error) {
        throw new failure/* RunFailure */.a('install-failed', `The CLI’s archive could not be unpacked: ${messageOf(error)}.`, {
            cause: error,
        });
    }
}
/** The archive has one top folder; some old builds had none. */
function findProgram(folder, platform, plan) {
    const places = [(0,external_node_path_.join)(folder, 'dist-package', platform.program), (0,external_node_path_.join)(folder, platform.program)];
    const found = places.find((place) => (0,external_node_fs_.existsSync)(place));
    if (found)
        return found;
    throw new failure/* RunFailure */.a('install-failed', `The archive of Cursor CLI ${plan.version} holds no ${platform.program}.`);
}
const messageOf = (error) => (error instanceof Error ? error.message : String(error));


/***/ })

};
