import { type Agent, MANIFEST_FILE, TOOLS_FILE } from '../../../model/agent.ts'
import { toolsVersionOf } from '../../../tools/index.ts'
import type { BundleRule } from '../rule.ts'

export const manifestToolsVersion: BundleRule = {
  id: 'manifest/tools-version',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: '[artifacts.tools].version is not the version of tools.json',
  why: 'A reader that decides by the manifest and one that decides by the document would read the same tools by two schemas.',
  fix: 'Write the version that tools.json states.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable', [TOOLS_FILE]: 'readable' },
  check({ agent }, report) {
    const { manifest } = agent
    const version = documentVersion(agent)
    if (manifest?.tools === undefined || version === undefined) return
    const stated = manifest.toolsVersion
    if (stated === version) return
    report({
      file: MANIFEST_FILE,
      place: { pointer: ['artifacts', 'tools', 'version'] },
      message:
        stated === undefined
          ? '[artifacts.tools].version is missing'
          : `[artifacts.tools].version is ${JSON.stringify(stated)}, tools.json has version ${version}`,
      fix: `Write version = ${version}`,
    })
  },
  autofix(agent, editToml) {
    const { manifest, tools } = agent
    const document = agent.documents.get(MANIFEST_FILE)
    if (document === undefined || manifest?.tools === undefined || tools === undefined) return []
    if (manifest.toolsVersion === tools.version) return []
    // `tools` is defined only if this build reads the document's version: the document decides, the manifest repeats.
    const text = editToml(document, [{ path: ['artifacts', 'tools', 'version'], set: tools.version }])
    return [{ path: MANIFEST_FILE, text, what: `write version = ${tools.version} under [artifacts.tools]` }]
  },
}

/** Undefined for a version that this build does not read: tools/version says so, and no other edit follows from it. */
function documentVersion(agent: Agent): number | undefined {
  const document = agent.documents.get(TOOLS_FILE)
  const fact = document && toolsVersionOf(document)
  return fact?.is === 'known' ? fact.row.version : undefined
}
