import { MANIFEST_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import { entryKeyFor, misnamedEntry } from '../meant-names.ts'
import type { BundleRule } from '../rule.ts'

export const manifestEntryMissing: BundleRule = {
  id: 'manifest/entry-missing',
  severity: 'error',
  scope: 'bundle',
  step: 'manifest',
  summary: 'the manifest names no entry',
  why: 'Without entry_wasm or entry_native there is nothing to run, and the binary in bin/ is just a file.',
  fix: 'Add entry_wasm = { path = "bin/<name>.wasm", blake3 = "" } under [agent], then run rlp agent digest.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent }, report) {
    if (agent.manifest === undefined || agent.manifest.entries.length > 0) return
    const misnamed = misnamedEntry(agent.documents.get(MANIFEST_FILE)?.value)
    const key = agent.manifest.kind === 'native-shim' ? 'entry_native' : 'entry_wasm'
    const file = key === 'entry_native' ? '<name>' : '<name>.wasm'
    report({
      file: MANIFEST_FILE,
      place: { pointer: ['agent'], part: 'key' },
      message: 'The manifest names no entry_wasm or entry_native',
      fix:
        misnamed !== undefined
          ? `Rename the key ${quoteText(misnamed.key)} to ${entryKeyFor(misnamed.path)}`
          : `Add ${key} = { path = "bin/${agent.manifest.name ? file.replace('<name>', agent.manifest.name) : file}", blake3 = "" } under [agent], then run rlp agent digest`,
    })
  },
}
