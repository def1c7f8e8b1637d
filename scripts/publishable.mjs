// `npm publish` → refused while package.json names no real place: the address of the repository is decided when the project has one.
// `.example` is reserved (RFC 2606), so that until then the metadata leads to no stranger's site.
import { readFileSync } from 'node:fs'

const { homepage, bugs, repository } = JSON.parse(readFileSync('package.json', 'utf8'))
const unset = [homepage, bugs, repository.url].filter(url => new URL(url).hostname.endsWith('.example'))
if (unset.length > 0) {
  console.error(`Cannot publish: package.json names no real place: ${unset.join(', ')}`)
  console.error('hint: Write the addresses of the repository into homepage, bugs and repository')
  process.exitCode = 1
}
