// Imports a folder of tool lists, each into a new agent of its own, and lints the agents. Every finding comes with the entries of the tools
// that it is about, so that a reader can judge it without the list.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseJson } from '../../src/json/parse.ts'
import { importTools } from '../../src/library/generated/convert.ts'
import { digest, lint, scaffold } from '../../src/library/generated/index.ts'
import type { Document } from '../../src/model/document.ts'
import type { Finding } from '../../src/model/finding.ts'
import { isTable } from '../../src/model/own.ts'
import { LineIndex } from '../../src/text/decode.ts'

/** A finding of a list. */
export interface Surveyed {
  /** The list's file. */
  readonly list: string
  readonly finding: Finding
  /** The first entries of tools.json or interfaces.json that it is about, and how many more there are. */
  readonly entries: readonly unknown[]
  readonly left: number
}

export interface Survey {
  readonly lists: number
  readonly tools: number
  readonly findings: readonly Surveyed[]
  /** Lists that could not be imported, each with the reason. */
  readonly refused: readonly string[]
}

/** The most entries of one finding. */
const MOST_ENTRIES = 3
/** Programs of imported tools are not started, so any absolute path serves. */
const RUN = { is: 'command', command: '/usr/bin/mcp-call' } as const

/**
 * @param folder with a tool list in each `.json` file, in any form that `rlp tool import` reads
 */
export async function survey(folder: string): Promise<Survey> {
  const names = readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .sort()
  const findings: Surveyed[] = []
  const refused: string[] = []
  let tools = 0
  for (const name of names) {
    try {
      const surveyed = await surveyList(resolve(folder, name), name)
      tools += surveyed.tools
      findings.push(...surveyed.findings)
    } catch (error) {
      refused.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { lists: names.length - refused.length, tools, findings, refused }
}

async function surveyList(path: string, list: string) {
  const root = mkdtempSync(join(tmpdir(), 'rlp-noise-'))
  try {
    const agent = 'surveyed'
    const at = { cwd: root }
    await scaffold(agent, { root, ...at })
    const before = new Set((await lint(agent, at)).findings.map(keyOf))
    const { tools } = await importTools(path, { agent, run: RUN, grant: true, onlyGood: true, ...at })
    await digest(agent, at)
    const { findings } = await lint(agent, at)
    const documents = new Documents(join(root, agent))
    // The placeholder of the new agent is not about the list.
    const fresh = findings.filter(finding => !before.has(keyOf(finding)))
    return {
      tools: tools.length,
      findings: fresh.map(finding => {
        const entries = documents.entriesOf(finding)
        const shown = entries.slice(0, MOST_ENTRIES)
        return { list, finding, entries: shown, left: entries.length - shown.length }
      }),
    }
  } finally {
    rmSync(root, { recursive: true })
  }
}

function keyOf({ rule, file, message }: Finding): string {
  return JSON.stringify([rule, file, message])
}

/** The files of an agent that findings are in. */
class Documents {
  readonly #agent: string
  readonly #read = new Map<string, Document | undefined>()

  constructor(agent: string) {
    this.#agent = agent
  }

  entriesOf({ file, line, others = [] }: Finding): readonly unknown[] {
    const document = this.#documentOf(file)
    if (document === undefined) return []
    const { value } = document
    const [at, list] = Array.isArray(value) ? [[], value] : [['tools'], isTable(value) ? value['tools'] : []]
    if (!Array.isArray(list)) return []
    const lines = new LineIndex(document.text)
    return list.filter((_, index) => {
      const { start, end } = document.locate([...at, index])
      const [first, last] = [lines.at(start).line, lines.at(end).line]
      return [line, ...others.map(other => other.line)].some(at => first <= at && at <= last)
    })
  }

  #documentOf(file: string): Document | undefined {
    if (!file.endsWith('.json')) return undefined
    if (!this.#read.has(file)) {
      const parsed = parseJson(file, readFileSync(join(this.#agent, file)))
      this.#read.set(file, parsed.ok ? parsed.document : undefined)
    }
    return this.#read.get(file)
  }
}
