// An agent's folder → the cases in its tests/*.json, and new cases → such a file.
import { join } from 'node:path'
import type { Target } from '../io/find/find-agents.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { folderNames } from '../io/read/folder-names.ts'
import { readFile } from '../io/read/read-file.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import { appendAllToArray } from '../json/change.ts'
import { parseJson } from '../json/parse.ts'
import { ReadProblem } from '../json/read.ts'
import { isSameData } from '../json/same-data.ts'
import { CASES_FOLDER } from '../model/agent.ts'
import type { Document } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit, PARSE_LIMITS } from '../model/limits.ts'
import { pathProblem } from '../text/path.ts'
import { readCases, type ToolCase, writeCase } from './read-cases.ts'

export interface CaseFile {
  /** Below the agent's folder. */
  readonly path: string
  readonly cases: readonly ToolCase[]
}

/** @throws RlpError LINT_FAILED for a file that holds no cases, WRONG_FILE_TYPE for a link */
export async function caseFilesOf(target: Target): Promise<CaseFile[]> {
  if (!hasFolder(target)) return []
  const names = folderNames(join(target.path, CASES_FOLDER)).filter(
    name => name.endsWith('.json') && !name.startsWith('.'),
  )
  const files: CaseFile[] = []
  for (const name of names) {
    const path = `${CASES_FOLDER}/${name}`
    files.push({ path, cases: (await readCaseFile(target, path)).cases })
  }
  return files
}

/**
 * Adds each case to the file of its tool, unless the file has one of the same arguments.
 * @param name of the cases; undefined to leave it out
 * @returns how many were added to each file, which is made where it is missing
 */
export async function addCases(
  target: Target,
  cases: readonly Omit<ToolCase, 'name'>[],
  name: string | undefined,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const added = new Map<string, number>()
  hasFolder(target)
  for (const path of new Set(cases.map(({ tool }) => fileFor(tool)))) {
    const wanted = cases.filter(({ tool }) => fileFor(tool) === path)
    const place = join(target.path, path)
    const there = entryOrNothing(place) === undefined ? undefined : await readCaseFile(target, path)
    const known: Pick<ToolCase, 'tool' | 'arguments'>[] = [...(there?.cases ?? [])]
    const fresh = wanted.filter(one => {
      const isThere = known.some(
        other => other.tool === one.tool && isSameData(other.arguments, one.arguments),
      )
      known.push(one)
      return !isThere
    })
    added.set(path, fresh.length)
    if (fresh.length === 0) continue
    const entries = fresh.map(one => writeCase(one, name))
    const text =
      there === undefined
        ? `${JSON.stringify({ cases: entries }, null, 2)}\n`
        : appendAllToArray(there.document, ['cases'], entries)
    await makeParents(join(target.path, CASES_FOLDER))
    await replaceFile(place, text, { label: `${target.label}/${path}`, before: there?.bytes, signal })
  }
  return added
}

function fileFor(tool: string): string {
  const path = `${CASES_FOLDER}/${tool}.json`
  return pathProblem(path) === undefined && !tool.includes('/') ? path : `${CASES_FOLDER}/recorded.json`
}

/** @throws RlpError WRONG_FILE_TYPE for a link, which could lead out of the agent's folder */
function hasFolder({ path, label }: Target): boolean {
  const entry = entryOrNothing(join(path, CASES_FOLDER))
  if (entry === undefined || entry.isDirectory()) return entry !== undefined
  throw new RlpError('WRONG_FILE_TYPE', `Cannot use "${label}/${CASES_FOLDER}": it is no folder`, {
    hint: 'Cases are files in a folder of this name',
  })
}

async function readCaseFile(
  target: Target,
  path: string,
): Promise<{ bytes: Uint8Array; document: Document; cases: readonly ToolCase[] }> {
  const label = `${target.label}/${path}`
  const refuse = (problem: string) =>
    new RlpError('LINT_FAILED', `Cannot read the cases in "${label}": ${problem}`, {
      hint: 'docs/authoring.md says what a case has',
    })
  const most = PARSE_LIMITS.textBytes
  const larger = () => {
    throw refuse(`it has more than ${byteLimit(most)}`)
  }
  const bytes = await readFile(join(target.path, path), { follow: false, label, most, larger })
  try {
    const parsed = parseJson(path, bytes)
    if (!parsed.ok) throw refuse(parsed.problem.message)
    return { bytes, document: parsed.document, cases: readCases(parsed.document.value) }
  } catch (error) {
    throw error instanceof ReadProblem ? refuse(error.message) : error
  }
}
