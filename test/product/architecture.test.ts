// The shape of the house, read off the real syntax trees: who imports whom, and what may be nowhere.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import {
  isArrowFunction,
  isAsExpression,
  isBinaryExpression,
  isCallExpression,
  isCaseClause,
  isCatchClause,
  isDeleteExpression,
  isElementAccessExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isFunctionLikeDeclaration,
  isIdentifier,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isSpreadAssignment,
  isStringLiteral,
  isSwitchStatement,
  isVariableStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { ENTRIES } from '../../scripts/entries.ts'
import { ARCHIVE_LIMITS, PARSE_LIMITS, TEXT_LIMITS } from '../../src/model/limits.ts'
import { TRANSPORT_KINDS } from '../../src/tools/transports/index.ts'
import {
  DISK,
  EMPTY_ENVIRONMENT,
  FRONT,
  GROUND,
  HOLDS_LOCK,
  IMPORTED_IN,
  JOINS,
  LABELLED_WITH_HOME,
  OTHER_LIMITS,
  OWN_PROCESS,
  PROGRAMS,
  RINGS,
  ROOMS,
  SAME_NAME,
  SHARED_NAMES,
  VERBS,
} from '../support/architecture.ts'
import { compiled } from '../support/compile.ts'
import { temporary } from '../support/folder.ts'
import { unreached } from '../support/reach.ts'
import { LATE } from '../support/runs.ts'
import { nodesIn, placeOf, readSources, type SourceModule } from '../support/source.ts'

const sources = readSources()
const { modules } = sources
after(() => sources.close())

/** Places of the nodes that fit, in all of src/ or in the modules given. */
function places(fits: (node: Node, tree: SourceFile) => boolean, among = modules): string[] {
  return among.flatMap(module =>
    nodesIn(module.tree)
      .filter(node => fits(node, module.tree))
      .map(node => placeOf(module, node)),
  )
}

test('the trees are the sources', () => {
  const imports = modules.flatMap(({ imports }) => imports)
  assert.ok(modules.length > 100, `only ${modules.length} files`)
  assert.ok(imports.length > 400, `only ${imports.length} imports`)
  const reader = modules.find(({ path }) => path === 'src/io/wrappers/index.ts')?.imports ?? []
  assert.deepEqual(
    reader.filter(({ specifier }) => specifier === './gzip.ts'),
    [{ specifier: './gzip.ts', target: 'src/io/wrappers/gzip.ts', onDemand: true, isType: false }],
  )
  for (const { target } of imports)
    assert.ok(target === undefined || known(target), `${target} is imported and is not there`)
})

function known(target: string): boolean {
  return (
    modules.some(({ path }) => path === target) ||
    target === 'package.json' ||
    target.startsWith('src/schema/generated/')
  )
}

test('imports go down the rooms', () => {
  const used = new Set<string>()
  const wrong = modules.flatMap(({ path, imports }) =>
    imports.flatMap(({ target }) => {
      if (target === undefined || target === 'package.json' || mayImport(path, target)) return []
      if (JOINS[path] === undefined || (!isJob(target) && !FRONT.test(path)))
        return [`${path} imports ${target}`]
      used.add(path)
      return []
    }),
  )
  assert.deepEqual(wrong, [])
  assert.deepEqual(
    Object.keys(JOINS).filter(path => !used.has(path)),
    [],
    'files that join no rooms any more',
  )
})

test('a command is known to the list of commands alone', () => {
  const isCommand = (path: string) =>
    /^src\/(?!cli\/command|verb\/)[a-z]+\/(?:verbs\/[a-z-]+|(?:completion\/|[a-z-]+-)?command)\.ts$/.test(
      path,
    )
  const users = modules.flatMap(({ path, imports }) =>
    imports.some(({ target }) => target !== undefined && isCommand(target)) ? [path] : [],
  )
  // And to the functions of the library, which are made of the same verbs.
  const others = users.filter(path => !path.startsWith('src/library/generated/'))
  assert.deepEqual(others, ['src/cli/generated/commands.ts'])
})

function mayImport(path: string, target: string): boolean {
  const [from, to] = [areaOf(path), areaOf(target)]
  if (from === to) return true
  const ground = GROUND[from]
  if (ground !== undefined) return ground.includes(to)
  if (GROUND[to] !== undefined) return true
  if (from === 'index') return isJob(target)
  // What is generated offers each verb as a function.
  if (from === 'library') return /\/verbs\//.test(target) || isJob(target)
  // The list of commands loads them on demand.
  if (from === 'cli') return path === 'src/cli/generated/commands.ts'
  assert.ok(
    ROOMS.includes(from),
    `src/${from}/ is neither a room nor on the ground floor (test/support/architecture.ts)`,
  )
  if (VERBS.test(path) && isJob(target) && ROOMS.includes(to)) return true
  const isFront = FRONT.test(path)
  if (to === 'cli') return isFront
  return (isFront || isJob(target)) && ROOMS.indexOf(to) < ROOMS.indexOf(from)
}

/** What a room offers to other rooms: neither its command nor how it speaks to people. */
function isJob(target: string): boolean {
  return !FRONT.test(target)
}

/** A folder of src/, or `index` for its files. */
function areaOf(path: string): string {
  const [, folder = '', ...rest] = path.split('/')
  return rest.length === 0 ? 'index' : folder
}

test('no import leads back to where it came from, types included', () => {
  // What is imported on demand is a registry's way to its members, and a member may look at the registry.
  const next = new Map(
    modules.map(({ path, imports }) => [
      path,
      imports.flatMap(({ target, onDemand }) => (target === undefined || onDemand ? [] : [target])),
    ]),
  )
  const done = new Set<string>()
  const rings: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) rings.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
    if (trail.includes(path) || done.has(path)) return
    for (const target of next.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const { path } of modules) visit(path, [])
  assert.deepEqual(rings, Object.keys(RINGS))
})

test('each npm package is imported in one file', () => {
  const found = new Map<string, Set<string>>()
  for (const { path, imports } of modules) {
    for (const { specifier, target } of imports) {
      if (target !== undefined || specifier.startsWith('node:')) continue
      const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
      found.set(name, (found.get(name) ?? new Set()).add(path))
    }
  }
  const listed = Object.fromEntries([...found].map(([name, paths]) => [name, [...paths].sort()]))
  assert.deepEqual(
    listed,
    Object.fromEntries(Object.entries(IMPORTED_IN).map(([name, path]) => [name, [path]])),
  )
})

test('sockets and other programs are reached from io/, net/ and registry/ alone', () => {
  const wrong = importing(
    /^(?:node:)?(?:http|https|http2|net|tls|dns|dgram|child_process|worker_threads)(?:\/|$)/,
  )
  assert.deepEqual(
    // What a status and an answer are called is no connection.
    wrong.filter(([path]) => !/^src\/(?:io|net|registry|call\/http)\//.test(path)),
    [],
  )
})

test('no program of others is started with the keys of the user', () => {
  const [starts, without] = ['src/io/process/program.ts', 'src/io/process/without-keys.ts']
  const users = modules.filter(({ imports }) =>
    imports.some(({ target, isType }) => target === starts && !isType),
  )
  assert.ok(users.length > 3)
  const wrong = users.map(({ path }) => path).filter(path => !reachedFrom(path).includes(without))
  assert.deepEqual(wrong, Object.keys(EMPTY_ENVIRONMENT))
})

test('the disk is reached from io/, and from the files that say so', () => {
  const users = importing(/^(?:node:)?fs(?:\/|$)/).map(([path]) => path)
  const rooms = [
    ...new Set(users.filter(path => !path.startsWith('src/io/') && !OWN_PROCESS.includes(path))),
  ].sort()
  assert.deepEqual(rooms, [...DISK].sort())
})

test('judging is pure: verify/verify.ts loads nothing that reaches the disk, a socket or a program', () => {
  assert.deepEqual(reachedFrom('src/verify/verify.ts').filter(isImpure), [])
  // What gathers for it does reach them.
  assert.ok(reachedFrom('src/verify/examine.ts').some(isImpure))
})

const isImpure = (path: string) =>
  /^src\/(?:io|net|cli)\/|^(?:node:)?(?:fs|child_process|net|http|https|dns|tls|os)(?:\/|$)/.test(path)

/** Every module that is loaded with a file, itself included; types are not loaded. */
function reachedFrom(path: string): string[] {
  const known = new Map(modules.map(module => [module.path, module]))
  const reached = new Set([path])
  for (const next of reached)
    for (const { target, specifier, isType } of known.get(next)?.imports ?? [])
      if (!isType) reached.add(target ?? specifier)
  return [...reached]
}

/** Files that import a module of Node, with its name. */
function importing(specifiers: RegExp): [path: string, specifier: string][] {
  return modules.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier }): [string, string][] =>
      specifiers.test(specifier) ? [[path, specifier]] : [],
    ),
  )
}

test('a file that several runs write is changed in one way', () => {
  const [lock, change] = ['src/io/mutex.ts', 'src/io/write/change-file.ts']
  const users = modules.filter(({ imports }) => imports.some(({ target }) => target === lock))
  assert.deepEqual(users.map(({ path }) => path).sort(), [...Object.keys(HOLDS_LOCK), change].sort())
})

test('names say what a file is', () => {
  const vague = /(?:^|[/.-])(?:utils?|helpers?|common|misc|managers?|shared|stuff)(?=[/.-])/
  assert.match('src/text/path-utils.ts', vague)
  assert.deepEqual(
    modules.map(({ path }) => path).filter(path => vague.test(path) || !/^src\/[a-z0-9./-]+\.ts$/.test(path)),
    [],
  )
})

test('no two modules export the same name', () => {
  const declared = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/
  const found = new Map<string, Set<string>>()
  for (const { path, tree } of modules) {
    for (const statement of tree.statements) {
      const name = declared.exec(statement.getText(tree))?.[1]
      if (name !== undefined) found.set(name, (found.get(name) ?? new Set()).add(path))
    }
  }
  assert.ok(found.size > 1000, `only ${found.size} names`)
  const same = [...found].filter(([, paths]) => paths.size > 1)
  assert.deepEqual(
    same.filter(([name]) => SAME_NAME[name] === undefined).map(([name, paths]) => [name, ...paths]),
    [],
  )
  assert.deepEqual(
    Object.keys(SAME_NAME).filter(name => !same.some(([other]) => other === name)),
    [],
    'exceptions of names that are exported once',
  )
})

test('every declaration is reached from what is shipped', () => {
  // A test or a script is no user: a function that only its test calls looks like one that is covered.
  const shipped = [...Object.keys(PROGRAMS), ...Object.values(ENTRIES)]
  const names = unreached(modules, shipped).map(place => place.replace(/:[0-9]+ /, ' '))
  // The one switch that only tests may turn: to judge without first parts.
  assert.deepEqual(names, ['src/model/first-parts.ts useFirstParts'])
  // Where only the limits are shipped, nothing else has a user.
  const rest = unreached(modules, ['src/model/limits.ts']).map(place => place.replace(/:[0-9]+ /, ' '))
  assert.ok(rest.includes('src/cli/process.ts runProcess'))
  assert.ok(!rest.some(place => place.startsWith('src/model/limits.ts')))
})

test('only a wizard offers a choice: a yes is typed', () => {
  const isChoice = (node: Node, tree: SourceFile) =>
    isPropertyAccessExpression(node) && /\.choose$/.test(node.getText(tree))
  assert.deepEqual(
    places(isChoice).map(place => place.replace(/:[0-9]+$/, '')),
    ['src/cli/wizard/ask.ts'],
  )
})

test('no literal is spread into a literal', () => {
  const isPacked = (node: Node) => isSpreadAssignment(node) && isObjectLiteralExpression(node.expression)
  assert.deepEqual(places(isPacked), [])
})

test('nothing writes to the console', () => {
  assert.deepEqual(
    places((node, tree) => isIdentifier(node) && node.getText(tree) === 'console'),
    [],
  )
})

test('signals are joined in one file, which lets any number of requests listen', () => {
  const isJoined = (node: Node, tree: SourceFile) =>
    isPropertyAccessExpression(node) && /^AbortSignal\s*\.\s*any$/.test(node.getText(tree))
  assert.deepEqual(
    places(isJoined).map(place => place.replace(/:[0-9]+$/, '')),
    ['src/io/wait/any-signal.ts'],
  )
})

test('one file knows how a typed path becomes an absolute one', () => {
  const isExpanded = (node: Node, tree: SourceFile) =>
    isCallExpression(node) && node.expression.getText(tree) === 'expandHome'
  assert.deepEqual(
    places(isExpanded).map(place => place.replace(/:[0-9]+$/, '')),
    [...Object.keys(LABELLED_WITH_HOME), 'src/io/home.ts'].sort(),
  )
})

test('only the process ends the process', () => {
  const isExit = (node: Node, tree: SourceFile) =>
    isPropertyAccessExpression(node) && /^process\s*\.\s*(?:exit|abort|reallyExit)$/.test(node.getText(tree))
  assert.deepEqual(
    places(isExit).filter(
      place => ![...OWN_PROCESS, 'src/cli/process.ts'].includes(place.replace(/:[0-9]+$/, '')),
    ),
    [],
  )
})

/** What a session has started ends with the process, whichever program that is. */
const KNOW_PROCESS = [...OWN_PROCESS, 'src/io/process/running.ts']

test('argv, streams and exit codes are known in cli/ only', () => {
  const isProcess = (node: Node, tree: SourceFile) =>
    isPropertyAccessExpression(node) &&
    /^process\.(?:argv|stdin|stdout|stderr|exitCode|on)$/.test(node.getText(tree))
  const found = places(isProcess)
  assert.ok(found.length > 5, 'the process is known nowhere')
  assert.deepEqual(
    found
      .map(place => place.replace(/:[0-9]+$/, ''))
      .filter(path => !FRONT.test(path) && !path.startsWith('src/cli/') && !KNOW_PROCESS.includes(path)),
    [],
  )
})

const DECLARES: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ImportDeclaration,
  SyntaxKind.ExportDeclaration,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.ClassDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.VariableStatement,
])

test('only programs do something when they are loaded', () => {
  const doing = modules.flatMap(module =>
    module.tree.statements
      .filter(node => !DECLARES.has(node.kind) || (isVariableStatement(node) && hasAwait(node)))
      .map(node => placeOf(module, node)),
  )
  assert.deepEqual([...new Set(doing.map(place => place.replace(/:[0-9]+$/, '')))], Object.keys(PROGRAMS))
})

/** Whether loading the module waits for something; what functions in it wait for is another time. */
function hasAwait(node: Node): boolean {
  if (node.kind === SyntaxKind.AwaitExpression) return true
  if (isFunctionLikeDeclaration(node)) return false
  return node.forEachChild(child => hasAwait(child) || undefined) === true
}

test('loading every other module leaves the process as it was', { skip: LATE }, async () => {
  const paths = modules.map(({ path }) => `./${path}`).filter(path => !Object.hasOwn(PROGRAMS, path.slice(2)))
  // Imported at once, most of them become one file: a thousand files take two seconds to load.
  const all = paths.map(path => `import ${JSON.stringify(path)}`).join('\n')
  const file = await compiled(all, temporary('architecture')('modules'))
  const script = `
    const shared = ${JSON.stringify(Object.keys(SHARED_NAMES))}
    const listeners = () => process.eventNames().map(name => [name, process.listenerCount(name)])
    const state = () => JSON.stringify([listeners(), process.exitCode, Object.keys(globalThis).filter(name => !shared.includes(name)), process.cwd(), process.getActiveResourcesInfo().filter(kind => kind === 'Timeout' || kind.startsWith('TCP'))])
    const before = state()
    await import(${JSON.stringify(pathToFileURL(file).href)})
    if (state() !== before) process.stdout.write(before + ' became ' + state())
  `
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  assert.deepEqual({ stdout, stderr, status }, { stdout: '', stderr: '', status: 0 })
})

test('nothing has the type any', () => {
  assert.deepEqual(
    places(node => node.kind === SyntaxKind.AnyKeyword),
    [],
  )
})

test('no name from outside is looked up in a plain object', () => {
  // `constructor` finds a function there. Words of a closed union are ours; any other text goes through own(), or a Map.
  const isAnyName = (node: Node) => /^(?:string|any|unknown|string \| number|`.*)$/.test(sources.typeOf(node))
  const isLookup = (node: Node) => {
    if (!isElementAccessExpression(node) || isStringLiteral(node.argumentExpression)) return false
    const { parent } = node
    const isWritten = isBinaryExpression(parent) && parent.left === node && isAssignment(parent.operatorToken)
    return !isWritten && !isDeleteExpression(parent) && isAnyName(node.argumentExpression)
  }
  const isAsked = (node: Node) =>
    isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword && isAnyName(node.left)
  assert.deepEqual(
    places(node => isLookup(node) || isAsked(node)).map(place => place.replace(/:[0-9]+$/, '')),
    // What reads an own member, and what sets one.
    ['src/model/own.ts', 'src/model/own.ts'],
  )
})

function isAssignment({ kind }: Node): boolean {
  return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment
}

test('no catch drops what it caught without a word', () => {
  assert.deepEqual(modules.flatMap(swallowed), [])
})

/** Places of catches that neither look at the error, nor throw, nor say in a comment why not. */
function swallowed(module: SourceModule): string[] {
  const { tree } = module
  return nodesIn(tree).flatMap(node => {
    if (isCatchClause(node)) {
      const name = node.variableDeclaration?.name.getText(tree)
      return isHandled(node.block, name, tree) ? [] : [placeOf(module, node)]
    }
    if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return []
    const method = node.expression.name.getText(tree)
    const handler = method === 'catch' ? node.arguments[0] : method === 'then' ? node.arguments[1] : undefined
    if (handler === undefined) return []
    return isHandlerFine(handler, tree) ? [] : [placeOf(module, node)]
  })
}

function isHandlerFine(handler: Node, tree: SourceFile): boolean {
  if (isArrowFunction(handler) || isFunctionExpression(handler)) {
    const body = handler.body
    return body === undefined || isHandled(body, handler.parameters[0]?.name.getText(tree), tree)
  }
  // A function by its name: judged where it is, when it is in the same file.
  const name = handler.getText(tree)
  const named = tree.statements.find(node => isFunctionDeclaration(node) && node.name?.getText(tree) === name)
  if (named === undefined || !isFunctionDeclaration(named) || named.body === undefined) return true
  return isHandled(named.body, named.parameters[0]?.name.getText(tree), tree)
}

function isHandled(body: Node, name: string | undefined, tree: SourceFile): boolean {
  if (/\/\/|\/\*/.test(body.getText(tree))) return true
  return nodesIn(body).some(
    node =>
      node.kind === SyntaxKind.ThrowStatement ||
      (name !== undefined && isIdentifier(node) && node.getText(tree) === name),
  )
}

test('nothing but a transport kind asks which kind a tool has', () => {
  // What differs between kinds is in the member's file, so that a new kind is one file and not a search (CONTRIBUTING.md).
  const own = new RegExp(`^src/(?:model|tools)/transports/|^src/call/(?:${TRANSPORT_KINDS.join('|')})/`)
  const rest = modules.filter(({ path }) => !own.test(path))
  assert.ok(modules.length > rest.length + 5, 'the files of the kinds are somewhere else')
  assert.deepEqual(places(asksForKind, rest), [])
  // The rule finds what it is for.
  const asked = modules.filter(({ path }) => path.startsWith('src/call/exec/'))
  assert.ok(places(asksForKind, asked).length > 0, 'the rule does not see where a kind asks for itself')
})

/** `kind === 'http'`, `switch (kind) { case 'http': … }`, and the like. Families of capabilities and schemes have the same words. */
function asksForKind(node: Node, tree: SourceFile): boolean {
  const isKind = (other: Node) => isStringLiteral(other) && TRANSPORT_KINDS.some(kind => kind === other.text)
  const isOther = (other: Node) => /\b(?:family|scheme|key)$/i.test(other.getText(tree))
  if (isCaseClause(node) && isKind(node.expression)) {
    const asked = node.parent.parent
    return !isSwitchStatement(asked) || !isOther(asked.expression)
  }
  if (!isBinaryExpression(node) || !COMPARES.has(node.operatorToken.kind)) return false
  const { left, right } = node
  return (isKind(left) && !isOther(right)) || (isKind(right) && !isOther(left))
}

const COMPARES: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.EqualsEqualsToken,
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
])

test('no limit on what a bundle may hold is said twice', () => {
  // What is in src/model/limits.ts, and in the statements of docs/spec, is in no other file: half of a limit would be changed.
  const limits = Object.values({ ...ARCHIVE_LIMITS, ...PARSE_LIMITS, ...TEXT_LIMITS })
  // Round numbers that many other things have as well say nothing.
  const large = new Set<number>(limits.filter(limit => limit > 4096 && !COMMON.has(limit)))
  assert.equal(large.size, 10)
  const words = [1, 2].flatMap(power =>
    [...large].map(limit => `${limit / 1024 ** (power + 1)} ${power === 1 ? 'MiB' : 'GiB'}`),
  )
  const isRepeated = (node: Node, tree: SourceFile) => {
    if (isTextual(node)) return words.some(word => ` ${node.getText(tree)}`.includes(` ${word}`))
    const value = numberOf(node, tree)
    return value !== undefined && large.has(value) && numberOf(node.parent, tree) === undefined
  }
  const found = places(
    isRepeated,
    modules.filter(({ path }) => path !== 'src/model/limits.ts'),
  ).map(place => place.replace(/:[0-9]+$/, ''))
  assert.deepEqual([...new Set(found)].sort(), Object.keys(OTHER_LIMITS).sort())
})

const COMMON: ReadonlySet<number> = new Set([10_000, 50_000, 100_000, 1_000_000, 64 * 1024, 64 * 1024 ** 2])

function isTextual({ kind }: Node): boolean {
  return TEXTUAL.has(kind)
}

const TEXTUAL: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
])

/** What a number or a product of numbers is. */
function numberOf(node: Node, tree: SourceFile): number | undefined {
  if (node.kind === SyntaxKind.NumericLiteral) return Number(node.getText(tree).replaceAll('_', ''))
  if (!isBinaryExpression(node)) return undefined
  const [left, right] = [numberOf(node.left, tree), numberOf(node.right, tree)]
  if (left === undefined || right === undefined) return undefined
  if (node.operatorToken.kind === SyntaxKind.AsteriskToken) return left * right
  if (node.operatorToken.kind === SyntaxKind.AsteriskAsteriskToken) return left ** right
  return node.operatorToken.kind === SyntaxKind.MinusToken ? left - right : undefined
}

test('one file knows how a digest is written', () => {
  // By hand it takes anything: `blake3:${undefined}` is a text as well, and an identity has a name of its own (`bundleIdentity`).
  const isByHand = (node: Node, tree: SourceFile) => {
    const text = node.getText(tree)
    if (isBinaryExpression(node)) return /^['"`](?:.*[^a-z0-9])?blake3:['"`]\s*\+/.test(text)
    return isTextual(node) && /(?:^|[^a-z0-9])blake3:\$\{$/.test(text)
  }
  assert.deepEqual(
    places(isByHand).map(place => place.replace(/:[0-9]+$/, '')),
    ['src/text/digest-text.ts'],
  )
})

test('verification catches nothing', () => {
  const steps = modules.filter(({ path }) => path.startsWith('src/verify/'))
  assert.ok(steps.length > 5, `only ${steps.length} files of verification`)
  const isCatching = (node: Node, tree: SourceFile) =>
    node.kind === SyntaxKind.TryStatement ||
    (isPropertyAccessExpression(node) && node.name.getText(tree) === 'catch')
  assert.deepEqual(places(isCatching, steps), [])
})

test('only verify makes a verified bundle', () => {
  const isCast = (node: Node, tree: SourceFile) =>
    isAsExpression(node) && /\bVerifiedBundle\b/.test(node.type.getText(tree))
  assert.deepEqual(
    places(isCast).map(place => place.replace(/:[0-9]+$/, '')),
    ['src/verify/verify.ts'],
  )
})

test('load takes nothing that was not verified', () => {
  // The file holds lines that must not compile, each marked so that the compiler complains when they do.
  assert.deepEqual(sources.typeErrors('test/types/load.ts'), [])
})
