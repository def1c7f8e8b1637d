// fixtures/lint/<family>/<name>/ → a folder on disk and what lint should say about it. Used by the tests and by scripts/rules-doc.ts.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { read } from '../../src/agent/read-agent.ts'
import { readTree } from '../../src/io/read/read-tree.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { prepareLint } from '../../src/lint/lint-target.ts'
import { rulesOfRun } from '../../src/lint/rules/index.ts'
import type { Agent } from '../../src/model/agent.ts'
import type { Finding } from '../../src/model/finding.ts'
import type { Verdict } from '../../src/model/verdict.ts'

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const LINT_FIXTURES = 'fixtures/lint'
export const VALID_FIXTURES = 'fixtures/valid'

/** What `expect.txt` says. */
export interface Expectation {
  /** Why this is the case that a reviewer wants to be told about. */
  readonly comment: string
  /** `<severity> <rule> <file>:<line>:<column> <message>`, in the order of lint. */
  readonly findings: readonly string[]
  /** What the folder is called; without it, the name that the manifest states. */
  readonly folder: string | undefined
  /** What verify says of a bundle of these files, for rules of scope `bundle`. */
  readonly verdict: Verdict
  /** What cannot be stored in git, in order. */
  readonly made: readonly Made[]
}

type Made =
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'append'; readonly path: string; readonly times: number; readonly text: string }
  | { readonly kind: 'sparse'; readonly path: string; readonly size: number }
  /** The folder is the root of a checkout of git. */
  | { readonly kind: 'checkout'; readonly path: '.git' }

/** A fixture on disk, in a folder of its own. */
export interface Placed {
  readonly path: string
  /** How lint is told the folder's name. */
  readonly label: string
  remove(): Promise<void>
}

/** `<family>/<name>` of every fixture there is. */
export function lintFixtureIds(): string[] {
  const base = join(ROOT, LINT_FIXTURES)
  return foldersIn(base).flatMap(family => foldersIn(join(base, family)).map(name => `${family}/${name}`))
}

export function validFixtureNames(): string[] {
  return foldersIn(join(ROOT, VALID_FIXTURES))
}

/**
 * Reads an `expect.txt`.
 *
 * @throws Error for a line that is not understood, an unknown key, or when comment or findings are missing
 */
export function readExpectation(id: string): Expectation {
  const name = `${LINT_FIXTURES}/${id}/expect.txt`
  const findings: string[] = []
  const made: Made[] = []
  const once = new Map<string, string>()
  for (const [index, line] of readFileSync(join(ROOT, name), 'utf8').trimEnd().split('\n').entries()) {
    const [, key = '', value = ''] = /^([a-z]+): (.*\S)$/.exec(line) ?? []
    const refuse = (why: string) => new Error(`${name}:${index + 1}: ${why}: ${line}`)
    if (key === 'finding') findings.push(value)
    else if (key === 'link' || key === 'append' || key === 'sparse' || key === 'checkout') {
      const one = readMade(key, value)
      if (one === undefined) throw refuse(`not "${GRAMMAR[key]}"`)
      made.push(one)
    } else if (key === 'comment' || key === 'folder' || key === 'verdict') {
      if (once.has(key)) throw refuse('the key appears twice')
      once.set(key, value)
    } else throw refuse('unknown key')
  }
  const comment = once.get('comment')
  if (comment === undefined) throw new Error(`${name}: no comment`)
  if (findings.length === 0) throw new Error(`${name}: no finding`)
  const verdict = (once.get('verdict') ?? 'invalid') as Verdict
  return { comment, findings, folder: once.get('folder'), verdict, made }
}

const GRAMMAR = {
  link: 'link: agent/<path> -> <target>',
  append: 'append: agent/<path> [<times> x] "<JSON string>"',
  sparse: 'sparse: agent/<path> <size in bytes>',
  checkout: 'checkout: agent',
}

function readMade(kind: Made['kind'], value: string): Made | undefined {
  if (kind === 'checkout') return value === 'agent' ? { kind, path: '.git' } : undefined
  if (kind === 'link') {
    const [, path, target] = /^agent\/(.+) -> (.+)$/.exec(value) ?? []
    return path === undefined || target === undefined ? undefined : { kind, path, target }
  }
  if (kind === 'sparse') {
    const [, path, size] = /^agent\/(.+) ([0-9]+)$/.exec(value) ?? []
    return path === undefined ? undefined : { kind, path, size: Number(size) }
  }
  const [, path, times = '1', text] = /^agent\/(.+?)(?: ([0-9]+) x)? ("(?:[^"\\]|\\.)*")$/.exec(value) ?? []
  return path === undefined || text === undefined
    ? undefined
    : { kind, path, times: Number(times), text: JSON.parse(text) as string }
}

/** Copies a lint fixture to a temporary folder that is called like its agent, and makes what git cannot hold. */
export async function placeLintFixture(id: string): Promise<Placed> {
  const { folder, made } = readExpectation(id)
  const placed = await place(join(ROOT, LINT_FIXTURES, id, 'agent'), folder)
  for (const one of made) {
    const path = join(placed.path, one.path)
    await mkdir(dirname(path), { recursive: true })
    if (one.kind === 'checkout') await mkdir(path)
    else if (one.kind === 'link') await symlink(one.target, path)
    else if (one.kind === 'append') await appendFile(path, one.text.repeat(one.times))
    else {
      await writeFile(path, '')
      await truncate(path, one.size)
    }
  }
  return placed
}

export async function placeValidFixture(name: string): Promise<Placed> {
  return place(join(ROOT, VALID_FIXTURES, name), undefined)
}

async function place(from: string, folder: string | undefined): Promise<Placed> {
  const label = folder ?? (await statedName(from))
  const parent = await mkdtemp(join(tmpdir(), 'rlp-fixture-'))
  const path = join(parent, label)
  await cp(from, path, { recursive: true, verbatimSymlinks: true })
  return { path, label, remove: () => rm(parent, { recursive: true }) }
}

/** By the plainest means: the manifest may be the very thing that cannot be read. */
async function statedName(folder: string): Promise<string> {
  const manifest = join(folder, 'manifest.toml')
  const text = existsSync(manifest) ? await readFile(manifest, 'utf8') : ''
  const name = /^name = "(.*)"/m.exec(text)?.[1]
  const variant = /^variant = "(.*)"/m.exec(text)?.[1]
  if (name === undefined) return 'agent'
  return variant === undefined ? name : `${name}@${variant}`
}

/**
 * The folder as it was read, with everything that the rules find in it.
 * @param rule the one that a caller asks for
 */
export async function lintPlaced(
  placed: Placed,
  digest: 'all' | 'held',
  rule: string,
): Promise<{ agent: Agent; findings: Finding[] }> {
  const agent = await readPlaced(placed, digest)
  return { agent, findings: lintAgent(agent, await prepareLint(agent, placed.path), rulesOfRun([{ rule }])) }
}

/** Without their digests, files that no rule looks into (half a gigabyte of nothing, in one fixture) are not read. */
export async function readPlaced({ path, label }: Placed, digest: 'all' | 'held'): Promise<Agent> {
  return read(await readTree(path, label, { as: 'source', digest }), label)
}

/** A finding as `expect.txt` has it. */
export function findingLine({ severity, rule, file, line, column, message }: Finding): string {
  return `${severity} ${rule} ${file}:${line}:${column} ${message}`
}

function foldersIn(path: string): string[] {
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}
