// How a pipeline and an operator say how registries are reached: a file with logins in docker's form, and the time in config.toml.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Writes a file in docker's form.
 * @param logins `name:password` for each host
 * @returns what a pipeline adds to its environment
 */
export function authFile(folder: string, logins: Readonly<Record<string, string>>) {
  mkdirSync(folder, { recursive: true })
  const auths = Object.fromEntries(
    Object.entries(logins).map(([host, login]) => [host, { auth: Buffer.from(login).toString('base64') }]),
  )
  const path = join(folder, 'registry-auth.json')
  writeFileSync(path, JSON.stringify({ auths }), { mode: 0o600 })
  return { REGISTRY_AUTH_FILE: path }
}

/** Lets operations of this user wait for registries for `seconds` in all; undefined for the usual time. */
export function registryTimeout(home: string, seconds: number | undefined): void {
  mkdirSync(home, { recursive: true })
  const text = `[registries]\n${seconds === undefined ? '' : `timeout = ${seconds}\n`}`
  writeFileSync(join(home, 'config.toml'), text, { mode: 0o600 })
}
