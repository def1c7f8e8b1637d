// Words of other programs for a command → what does that job here. A row goes when its command comes.

const SCAFFOLD = 'rlp agent scaffold NAME makes a new agent'
const INIT = `rlp agent init makes an agent of a folder that exists; ${SCAFFOLD}`
const PACK =
  'rlp agent pack makes a bundle; the program itself is built with your own compiler (docs/wasm.md)'
const RUN = 'rlp agent run AGENT runs the module of a bundle, rlp tool call TOOL AGENT one of its tools'
const INSPECT = 'rlp agent inspect BUNDLE shows what is in a bundle, and what it may do'
const CHECK = 'rlp agent lint checks a folder, rlp agent verify a bundle'
const UNPACK =
  'A bundle is a tar archive: tar -xf FILE.agent.bundle unpacks it, after rlp agent verify FILE.agent.bundle'
const WATCH = 'Run rlp agent lint after each change; editors check as you type (docs/lint.md)'
const TEST =
  "rlp agent test AGENT runs the cases of an agent, rlp tool call TOOL FOLDER --unverified --args '{…}' runs one tool, rlp tool check-result checks what it printed"
const DOCTOR = 'rlp doctor says what is wrong on this host, of installed agents too'

/** Said of the word alone, and in the group `agent`. */
const OF_AGENTS = {
  new: SCAFFOLD,
  create: SCAFFOLD,
  build: PACK,
  info: INSPECT,
  check: CHECK,
  validate: CHECK,
  unpack: UNPACK,
  extract: UNPACK,
  watch: WATCH,
}

export const OTHER_WORDS: Readonly<Record<string, string>> = {
  ...OF_AGENTS,
  init: INIT,
  run: RUN,
  test: TEST,
  ...Object.fromEntries(Object.entries(OF_AGENTS).map(([word, hint]) => [`agent ${word}`, hint])),
  'agent doctor': DOCTOR,
  version: 'rlp --version prints it',
  update: 'rlp agent install puts a newer bundle in the place of the old one',
  'key new': 'rlp key generate NAME makes a key',
  'key add': 'rlp key import NAME FILE keeps a key that you have',
  'tool delete': 'rlp tool remove AGENT TOOL removes it',
  'tool rm': 'rlp tool remove AGENT TOOL removes it',
  'tool test': TEST,
  'caps lint': 'rlp agent lint checks policy.caps, and rlp doctor the overrides of it on this host',
}
