// `npm pack` and `npm publish` → a package.json without what a checkout alone needs. npm warns everybody who installs a package with a script
// called `prepare`, which an install from git needs. npm calls this before (`strip`) and after (`restore`); if it is killed between the two,
// `git restore package.json` helps.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

const MANIFEST = 'package.json'
/** The whole one, meanwhile. */
const WHOLE = 'package.json.whole'

if (process.argv[2] === 'strip') {
  const text = readFileSync(MANIFEST, 'utf8')
  const { scripts, devDependencies, ...packed } = JSON.parse(text)
  writeFileSync(WHOLE, text)
  writeFileSync(MANIFEST, `${JSON.stringify(packed, null, 2)}\n`)
} else {
  renameSync(WHOLE, MANIFEST)
}
