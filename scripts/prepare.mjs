// `npm run prepare`, which npm calls by itself: builds dist/ where the package is about to be packed. That is `npm pack`, and an install from
// git, as pre-commit makes it. No TypeScript: with `npm ci --omit=dev` nothing can compile it.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

// After `npm ci` in a clone every script that needs dist/ builds it. Before npm packs a clone it installs there, and asks again when it packs.
const isBuiltLater = process.env['npm_command'] === 'ci' || process.env['_PACOTE_NO_PREPARE_'] !== undefined

if (!isBuiltLater) {
  // `npm install -g <git url>` hands its -g to the install in the clone, which then installs nothing there.
  if (!existsSync('node_modules/tsx')) npm('ci', '--ignore-scripts', '--no-audit', '--no-fund')
  npm('run', '--silent', 'build')
}

/** @param {string[]} args */
function npm(...args) {
  const env = { ...process.env, npm_config_global: 'false', npm_config_include: 'dev' }
  // On standard error: `npm pack` prints the name of the file and nothing else.
  const stdio = /** @type {const} */ (['ignore', 2, 2])
  const { status } = spawnSync('npm', args, { stdio, env, shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}
