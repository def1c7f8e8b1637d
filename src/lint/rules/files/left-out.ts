import { CASES_FOLDER, MANIFEST_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const filesLeftOut: Rule = {
  id: 'files/left-out',
  severity: 'error',
  scope: 'source',
  summary: 'the manifest names a file that is left out of the bundle',
  why: 'An ignore pattern without a leading slash matches in every folder, and has shipped many a package without its code.',
  fix: 'Narrow the pattern in .bundleignore (begin it with /), or remove the file from the manifest.',
  looks: 'artifact',
  check({ agent, artifact: { path, at, role } }, report) {
    const odd = agent.files.oddities.find(
      ({ path: odd, what }) => isWord(what) && (path === odd || path.startsWith(`${odd}/`)),
    )
    if (odd === undefined || !isWord(odd.what)) return
    const { why, fix } = WORDS[odd.what](odd.path)
    report({
      file: MANIFEST_FILE,
      place: { pointer: at, part: role === 'file' ? 'key' : 'value' },
      message: `${path} is not packed: ${why}`,
      fix,
    })
  },
}

const WORDS = {
  ignored: (path: string) => ({
    why: `.bundleignore leaves out ${path}`,
    fix: 'Narrow the pattern, for example with a leading /',
  }),
  'other-agent': (path: string) => ({
    why: `${path} is another agent, with a manifest of its own`,
    fix: 'Move the file out of that folder',
  }),
  cases: () => ({
    why: `the folder ${CASES_FOLDER} holds cases of rlp agent test, which are never packed`,
    fix: 'Move the file out of that folder',
  }),
  'dot-file': () => ({
    why: 'names that begin with a dot are never packed',
    fix: 'Give the file another name',
  }),
}

function isWord(what: string): what is keyof typeof WORDS {
  return Object.hasOwn(WORDS, what)
}
