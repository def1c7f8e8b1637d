// What the scripts of action.yml cannot do safely in a shell: read what rlp answered, and copy a report into a checkout that may be hostile.
import { randomUUID } from 'node:crypto'
import { constants, lstatSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

const [what, ...rest] = process.argv.slice(2)

/** The end of a step, with an annotation: what is shown must not begin a line, which could be a command to the runner. */
function refuse(message) {
  const shown = message.replace(/[%\r\n]/g, byte => encodeURIComponent(byte))
  console.log(`::error title=rlp::${shown}`)
  process.exit(3)
}

function answer(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return refuse(`Cannot read the answer of rlp agent ${what}: it is no JSON. Look at the log of this step`)
  }
}

/** A report of lint that says itself how lint ended. */
function lint(file, code) {
  const report = answer(file)
  const run = report?.runs?.length === 1 ? report.runs[0] : undefined
  const [invocation] = run?.invocations ?? []
  const isReport = report?.version === '2.1.0' && run?.tool?.driver?.name === 'rlp agent lint'
  if (!isReport || !Array.isArray(run.results) || invocation?.exitCode !== Number(code))
    refuse('Cannot use the report of rlp agent lint: it does not say what lint ended with')
  if (code === '0' && invocation.executionSuccessful !== true)
    refuse('Cannot take the answer of rlp agent lint for a pass: it says that lint did not run')
}

/** Each line of the input names at least one bundle; each bundle has to have a word that passes. */
function verify(file, named, allowUnsigned) {
  const { ok, tool, result } = answer(file) ?? {}
  const bundles = result?.bundles
  const isAnswer = ok === true && tool === 'agent.verify' && result?.passed === true && Array.isArray(bundles)
  const words = allowUnsigned === 'true' ? ['trusted', 'unsigned'] : ['trusted']
  if (!isAnswer) refuse('Cannot take the answer of rlp agent verify for a pass: it does not say so')
  if (!(Number(named) > 0) || bundles.length < Number(named) || result.summary?.bundles !== bundles.length)
    refuse(`Cannot pass: ${named} named, ${bundles.length} judged. Name each bundle once`)
  const other = bundles.find(bundle => !words.includes(bundle?.verdict))
  if (other !== undefined)
    refuse(`Cannot pass: a bundle is ${JSON.stringify(other?.verdict ?? 'not judged')}`)
}

/** The bundles that were judged, for a shell: each ends with NUL. */
function targets(file) {
  const { result } = answer(file) ?? {}
  const named = Array.isArray(result?.bundles) ? result.bundles.map(bundle => bundle?.target) : []
  for (const target of named)
    if (typeof target === 'string' && !target.includes('\0')) process.stdout.write(`${target}\0`)
}

const below = (path, folder) => path === folder || path.startsWith(folder + sep)

function state(path) {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** Copies into a checkout, through no link: each folder is looked at, and a new file takes the place of the old one. */
function copy(from, to) {
  const shown = JSON.stringify(to)
  const workspace = resolve(process.env.GITHUB_WORKSPACE || '.')
  const target = resolve(workspace, to)
  let folder = workspace
  if (below(target, workspace)) {
    for (const part of relative(workspace, dirname(target)).split(sep).filter(Boolean)) {
      folder = join(folder, part)
      if (!state(folder)?.isDirectory())
        refuse(`Cannot write sarif-file ${shown}: ${JSON.stringify(folder)} is no folder, or is a link`)
    }
  } else {
    folder = dirname(target)
    if (!state(folder)?.isDirectory() || below(realpathSync(folder), realpathSync(workspace)))
      refuse(
        `Cannot write sarif-file ${shown}: its folder is missing, or leads into the checkout by another name`,
      )
  }
  const old = state(target)
  if (target === workspace || (old !== undefined && !old.isFile()))
    refuse(`Cannot write sarif-file ${shown}: something that is no regular file is there`)
  const fresh = join(folder, `.rlp-${randomUUID()}`)
  const flag = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
  try {
    writeFileSync(fresh, readFileSync(from), { flag, mode: 0o644 })
    renameSync(fresh, target)
  } catch (error) {
    rmSync(fresh, { force: true })
    refuse(`Cannot write sarif-file ${shown}: ${error.code}`)
  }
}

const command = { lint, verify, targets, copy }[what]
if (command === undefined) refuse('Cannot run scripts/action.mjs: it knows lint, verify, targets and copy')
command(...rest)
