import { startScriptedService } from '../services/scripted-service.ts';
import type { ScriptedService } from '../services/scripted-service.ts';
import { installation } from './daemon-process.ts';
import type { Installation, InstallationOptions } from './daemon-process.ts';

/** The real program, set up against a service that does what the test says and ends with it. */
export interface InstallationWithService extends Installation {
  readonly service: ScriptedService;
}

/** Starts the service and sets the program up. */
export async function installationWithService(
  options: Partial<InstallationOptions> = {},
): Promise<InstallationWithService> {
  const service = await startScriptedService();
  const place = await installation({ ...service, ...options });
  return {
    ...place,
    service,
    remove: async () => {
      await place.remove();
      await service.close();
    },
  };
}
