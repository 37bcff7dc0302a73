import { join } from 'node:path';
import { type MeasuredApi, openMeasuredApi } from '../../test/setup/api/measured-api.ts';
import { type Installation, withoutLimits } from './open-installation.ts';

/** Starts another API process, or `program`, on the installation's database with different settings. */
export function openOwnApi(
  installation: Installation,
  environment: Record<string, string>,
  options: { program?: string } = {},
): Promise<MeasuredApi> {
  return openMeasuredApi(
    { LOG_LEVEL: 'error', ...withoutLimits, ...environment },
    { environmentFile: join(installation.folder, 'environment'), ...options },
  );
}
