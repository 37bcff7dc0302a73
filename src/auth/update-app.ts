import { type App, type Database, transaction } from '../../prisma/client.ts';
import { invalid, notFound } from '../errors.ts';
import { type AppSettings, settingsColumns } from './app-settings.ts';
import { changedFields } from './audit/audit-entry.ts';
import { recordChange } from './audit/record-action.ts';
import { liveOriginFaults } from './embed-origins.ts';

/**
 * Changes an app's settings. Absent fields stay unchanged, and null clears those settings that have no value by default. Throws NOT_FOUND for an app of
 * another merchant, and VALIDATION_ERROR if the dispute window would be longer than the timelock,
 * if the grace period is given twice, or if a live app would be embedded by an origin without https.
 */
export function updateApp(
  world: { database: Database },
  request: { scope: { merchantId: string; appId: string }; settings: AppSettings },
): Promise<App> {
  const { scope, settings } = request;
  return transaction(world.database, async (tx) => {
    // Locked, so that two concurrent changes are not each validated against values that the other one replaces.
    await tx.$queryRaw`SELECT 1 FROM app WHERE id = ${scope.appId}::uuid FOR UPDATE`;
    const app = await tx.app.findFirst({ where: { id: scope.appId, merchantId: scope.merchantId } });
    if (!app) throw notFound('app');
    if (settings.renewalRetry?.graceDays !== undefined && settings.subscriptionGraceDays !== undefined) {
      throw invalid([
        {
          param: 'renewalRetry.graceDays',
          message: 'is the same setting as subscriptionGraceDays; set only one of them',
        },
      ]);
    }
    const originFaults = app.mode === 'LIVE' ? liveOriginFaults(settings.embedOrigins ?? []) : [];
    if (originFaults.length > 0) throw invalid(originFaults);
    const timelock = settings.timelockDuration ?? app.timelockDuration;
    const window = settings.disputeStartDuration ?? app.disputeStartDuration;
    if (window > timelock) {
      throw invalid([
        { param: 'disputeStartDuration', message: `${window} seconds exceed the timelock of ${timelock}` },
      ]);
    }
    const columns = settingsColumns(settings);
    const updated = await tx.app.update({ where: { id: app.id }, data: columns });
    await recordChange(tx, {
      action: 'app.updated',
      owner: { appId: app.id },
      target: { type: 'App', id: app.id },
      changed: changedFields(app, updated, Object.keys(columns)),
    });
    return updated;
  });
}
