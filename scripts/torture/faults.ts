// Campaign 4: every command that changes something, stopped or failed at every one of its system calls. What counts is then the old or
// the new, whole; the next run makes the rest good and leaves nothing behind.
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { run } from '../../test/support/fake-terminal.ts'
import type { Campaign, Session } from './campaign.ts'
import { type Contents, contentsOf, leftovers, stateProblem } from './faults/compare.ts'
import { type Call, compile, type Ended, type Fault, runFaulty } from './faults/preload.ts'
import { SCENARIOS, type Scenario } from './faults/scenarios.ts'
import { program } from './program.ts'

export const campaign: Campaign = {
  name: 'faults',
  summary:
    'killed or failed at any system call: the old or the new is there, whole, and the next run cleans up',
  isEndless: true,
  run: session => faultsIn(session, session.some(SCENARIOS, 3)),
}

/** Plays scenarios with every fault. */
export async function faultsIn(session: Session, scenarios: readonly Scenario[]): Promise<void> {
  const compiled = compile(session.folder)
  if ('problem' in compiled) return session.skip(compiled.problem)
  const args = await program()
  for (const [index, scenario] of scenarios.entries()) {
    const world = new World(join(session.folder, String(index)), scenario, compiled.library, args)
    await world.prepare()
    await everyFault(session, world)
    world.remove()
    if (session.isOver()) return
  }
}

/** What may go wrong with each kind of call. */
const ERRORS: Readonly<Record<string, readonly (keyof typeof constants.errno)[]>> = {
  open: ['ENOSPC', 'EACCES', 'EIO', 'EINTR', 'EMFILE'],
  write: ['ENOSPC', 'EIO', 'EINTR'],
  fsync: ['EIO', 'ENOSPC', 'EINTR'],
  rename: ['ENOSPC', 'EACCES', 'EIO', 'EINTR'],
  link: ['ENOSPC', 'EACCES', 'EIO', 'EMLINK'],
  symlink: ['EIO'],
  mkdir: ['ENOSPC', 'EACCES', 'EIO', 'EINTR'],
  unlink: ['EACCES', 'EIO', 'EBUSY'],
  rmdir: ['EACCES', 'EIO', 'EBUSY'],
  chmod: ['EPERM', 'EIO'],
  chown: ['EPERM', 'EIO'],
  truncate: ['EIO'],
  utime: ['EIO'],
  look: ['EACCES', 'EIO', 'EMFILE', 'EINTR'],
  read: ['EIO', 'EINTR'],
  list: ['EACCES', 'EIO', 'EMFILE'],
}

interface Planned {
  readonly id: string
  readonly kind: string
  readonly fault: Fault
  readonly looks: boolean
  readonly call: Call | undefined
}

async function everyFault(session: Session, world: World): Promise<void> {
  const { name } = world.scenario
  const calm = await world.faulty({ at: 0, mode: 'kill' }, false)
  // A slice leaves out what only looks: one process less for each scenario.
  const looks = session.isSlice ? [] : (await world.faulty({ at: 0, mode: 'kill' }, true)).calls
  if (session.begin(`${name}: undisturbed`, 'undisturbed')) {
    const problem = stateProblem(world.contents(), world.after, world.after, world.scenario)
    if (calm.exit !== 0 || problem !== undefined)
      session.defect({ case: `${name}: undisturbed`, what: `exit ${calm.exit}, ${problem}\n${calm.output}` })
  }
  for (const planned of session.some(plan(session, name, calm.calls, looks), 3)) {
    if (session.begin(planned.id, planned.kind)) await oneFault(session, world, planned)
  }
}

/**
 * A kill at every call that changes something; at every kind of call on every file two of the errors that it can have, which ones
 * depends on seed and round; and a disk that is full from there on.
 */
function plan(session: Session, name: string, calls: readonly Call[], looks: readonly Call[]): Planned[] {
  const planned: Planned[] = []
  const random = session.random(session.round, name)
  const seen = new Set<string>()
  const isNew = (call: Call, kind: string) => {
    // Names that are made by chance are the same place in every run.
    const place = `${kind} ${call.name} ${call.path.replace(/[0-9]+-[0-9a-f]{12,16}|[0-9a-f]{16}/g, '')}`
    return seen.has(place) ? false : seen.add(place) !== undefined
  }
  const add = (kind: string, mode: string, at: number, call: Call | undefined, isLook = false) =>
    planned.push({
      id: `${name}: ${kind} at ${at}${isLook ? ' of all' : ''}`,
      kind: KINDS[kind] ?? 'errors',
      fault: { at, mode },
      looks: isLook,
      call,
    })
  for (const [index, call] of calls.entries()) {
    add('kill', 'kill', index + 1, call)
    if (!isNew(call, 'change') && !random.once(8)) continue
    for (const error of random.shuffle(ERRORS[call.name] ?? []).slice(0, 2))
      add(error, String(constants.errno[error]), index + 1, call)
    if (/^(?:open|write|mkdir|rename|link|fsync)$/.test(call.name)) add('full', 'full', index + 1, call)
  }
  // After its last call it is done, and only its report is missing.
  add('kill', 'kill', calls.length + 1, undefined)
  add('short', 'short', 1, undefined)
  for (const [index, call] of looks.entries()) {
    if (!/^(?:look|read|list)$/.test(call.name) || !isNew(call, 'look')) continue
    for (const error of random.shuffle(ERRORS[call.name] ?? []).slice(0, 1))
      add(error, String(constants.errno[error]), index + 1, call, true)
  }
  return planned
}

const KINDS: Readonly<Record<string, string>> = { kill: 'kills', full: 'full disks', short: 'short writes' }

async function oneFault(
  session: Session,
  world: World,
  { id, kind, fault, looks, call }: Planned,
): Promise<void> {
  const { scenario, before, after } = world
  const at = call === undefined ? 'the end' : `${call.name} ${call.path.slice(world.path.length)}`
  const ended = await world.faulty(fault, looks)
  const defect = (what: string) => session.defect({ case: id, what: `${at}: ${what}\n${ended.output}` })
  const wasKilled = kind === 'kills' && call !== undefined
  if (wasKilled !== (ended.signal === 'SIGKILL') || (ended.signal !== null && !wasKilled))
    return defect(`it ended with ${ended.signal ?? ended.exit}`)
  if (!wasKilled && ![0, 1, 2, 3, 4].includes(ended.exit ?? -1)) defect(`it ended with ${ended.exit}`)
  const seen = world.contents()
  const problem = stateProblem(seen, before, after, scenario)
  if (problem !== undefined) defect(problem)
  // Who lives cleans up after itself, unless the cleaning up is what failed.
  const isTidy = !wasKilled && !/^(?:unlink|rmdir|list|look)$/.test(call?.name ?? '')
  const left = leftovers(seen, before, after)
  if (isTidy && left.length > 0) defect(`it left ${left.join(', ')}`)
  const { holds } = scenario
  if (holds !== undefined && seen[holds.file] !== undefined) {
    const { exit, stdout, stderr } = await world.calm(holds.args)
    if (exit !== 0) defect(`${holds.args.join(' ')} then ends with ${exit}: ${stdout}${stderr}`)
  }
  for (const { args, exits } of scenario.again ?? [{ args: scenario.args, exits: [0] }]) {
    const { exit, stdout, stderr } = await world.calm(args)
    if (!exits.includes(exit)) defect(`the next run ends with ${exit}: ${stdout}${stderr}`)
  }
  const last = world.contents()
  const end = scenario.endsOtherwise
    ? undefined
    : stateProblem(last, after, after, { ...scenario, mayDiffer: /^$/, mayBeGone: /^$/ })
  if (end !== undefined) defect(`after the next run: ${end}`)
  // Where removing it failed, a draft stays until the same lock is taken again.
  const rest = wasKilled || isTidy ? leftovers(last, after, after) : []
  if (rest.length > 0) defect(`the next run left ${rest.join(', ')}`)
}

/** The folder in which a scenario is played, over and over. */
class World {
  readonly path: string
  readonly scenario: Scenario
  before: Contents = {}
  after: Contents = {}
  readonly #template: string
  readonly #library: string
  readonly #program: readonly string[]

  constructor(folder: string, scenario: Scenario, library: string, args: readonly string[]) {
    mkdirSync(folder)
    this.path = join(folder, 'world')
    this.#template = join(folder, 'template')
    this.scenario = scenario
    this.#library = library
    this.#program = args
  }

  async prepare(): Promise<void> {
    for (const name of ['work', 'home']) mkdirSync(join(this.path, name), { recursive: true, mode: 0o755 })
    const rlp = async (...args: string[]) => {
      const { exit, stderr } = await this.calm(args)
      if (exit !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
    }
    await this.scenario.prepare({ work: join(this.path, 'work'), home: join(this.path, 'home'), rlp })
    renameSync(this.path, this.#template)
    this.reset()
    this.before = this.contents()
    const { exit, stdout, stderr } = await this.calm(this.scenario.args)
    if (exit !== 0) throw new Error(`${this.scenario.args.join(' ')}: ${stdout}${stderr}`)
    this.after = this.contents()
  }

  reset(): void {
    rmSync(this.path, { recursive: true, force: true })
    cpSync(this.#template, this.path, { recursive: true })
  }

  contents(): Contents {
    return contentsOf(this.path)
  }

  /** From the beginning, as a process of its own, with a fault. */
  async faulty(fault: Fault, looks: boolean): Promise<Ended> {
    this.reset()
    return runFaulty([...this.#program, ...this.scenario.args], {
      library: this.#library,
      folder: this.path,
      cwd: join(this.path, 'work'),
      env: { RUNLOOP_HOME: join(this.path, 'home') },
      fault,
      looks,
    })
  }

  /** In this process, from whatever is there. */
  calm(args: readonly string[]): ReturnType<typeof run> {
    process.env['RUNLOOP_HOME'] = join(this.path, 'home')
    return run(args, undefined, { cwd: join(this.path, 'work') })
  }

  remove(): void {
    for (const path of [this.path, this.#template]) rmSync(path, { recursive: true, force: true })
  }
}
