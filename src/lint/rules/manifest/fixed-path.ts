import { valueAt } from '../../../json/pointer.ts'
import { type Artifact, MANIFEST_FILE, type Manifest, POLICY_FILE, TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import type { Problem } from '../../../model/finding.ts'
import { isTable } from '../../../model/own.ts'
import { OWN_TABLES } from '../meant-names.ts'
import type { BundleRule, ReportProblem } from '../rule.ts'

export const manifestFixedPath: BundleRule = {
  id: 'manifest/fixed-path',
  severity: 'error',
  scope: 'bundle',
  step: 'manifest',
  summary: 'policy.caps or tools.json is named differently',
  why: 'Runtimes open policy.caps and tools.json by these names. A manifest that digests another file would leave the one that counts unprotected.',
  fix: 'Name the files policy.caps and tools.json, and write exactly that.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent }, report) {
    const { manifest } = agent
    if (manifest === undefined) return
    const caps = valueAt(agent.documents.get(MANIFEST_FILE)?.value, ['caps'])
    if (manifest.capsFile !== POLICY_FILE)
      report(
        isTable(caps) && Object.hasOwn(caps, 'path') && manifest.capsFile === undefined
          ? {
              file: MANIFEST_FILE,
              place: { pointer: ['caps', 'path'], part: 'key' },
              message: '[caps].file is missing',
              fix: 'Rename it to "file"',
            }
          : wrong(['caps', 'file'], '[caps].file', manifest.capsFile, POLICY_FILE),
      )
    reportOther(manifest.policy, '[artifacts.policy].path', POLICY_FILE, report)
    reportOther(manifest.tools, '[artifacts.tools].path', TOOLS_FILE, report)
    // Under another path, tools.json would have a digest and no version, and readers would disagree about its kind.
    reportOutside(manifest.files, manifest, report)
    reportOutside(manifest.entries, manifest, report)
  },
  autofix(agent, editToml) {
    const document = agent.documents.get(MANIFEST_FILE)
    // An existing but different name may be the intended file; only a missing one has a single right answer.
    if (document === undefined || agent.manifest?.capsFile !== undefined) return []
    const text = editToml(document, [{ path: ['caps', 'file'], set: POLICY_FILE }])
    return [{ path: MANIFEST_FILE, text, what: `write file = "${POLICY_FILE}" under [caps]` }]
  },
}

function reportOther(
  artifact: Artifact | undefined,
  key: string,
  meant: string,
  report: ReportProblem,
): void {
  if (artifact === undefined || (artifact.isPathStated && artifact.path === meant)) return
  report(wrong(artifact.at, key, artifact.isPathStated ? artifact.path : undefined, meant))
}

function reportOutside(
  artifacts: readonly Artifact[],
  { policy, tools }: Manifest,
  report: ReportProblem,
): void {
  for (const { path, digestAt } of artifacts) {
    const table = OWN_TABLES.get(path)
    // If its own table names it too, manifest/artifact-twice reports it.
    if (table === undefined || policy?.path === path || tools?.path === path) continue
    report({
      file: MANIFEST_FILE,
      place: { pointer: digestAt },
      message: `${path} is named outside its own table ${table}`,
      fix: `Remove it here; rlp agent digest writes it under ${table}`,
    })
  }
}

function wrong(pointer: Pointer, key: string, found: string | undefined, meant: string): Problem {
  const [table, name] = key.split('].')
  if (found === undefined)
    return {
      file: MANIFEST_FILE,
      message: `${key} is missing`,
      fix: `Write ${name} = "${meant}" below a line ${table}]`,
    }
  return {
    file: MANIFEST_FILE,
    place: { pointer },
    message: `${key} must be ${meant}, found ${JSON.stringify(found.slice(0, 60))}`,
    fix: `Write ${name} = "${meant}"`,
  }
}
