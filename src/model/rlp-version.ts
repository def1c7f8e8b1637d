// The version of this build, as package.json states it.
import packageJson from '../../package.json' with { type: 'json' }

export const VERSION: string = packageJson.version
