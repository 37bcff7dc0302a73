/** Restricted keys and the audit log in the dashboard. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { auditActions } from '../../src/auth/audit/audit-entry.ts';
import { keyScopes as scopesOfApi } from '../../src/auth/keys/key-scope.ts';
import { keyScopes, limitsInput, networksOf, noLimits } from '../../web/src/dashboard/developers/keys/key-limits.ts';
import { actionGroups, exportPath, filterOf } from '../../web/src/dashboard/settings/audit/audit-filters.ts';
import { changesOf } from '../../web/src/dashboard/settings/audit/changes.ts';
import { targetWay } from '../../web/src/dashboard/settings/audit/target-way.ts';

test('a key is restricted to the entered limits, and has none by default', () => {
  expect(limitsInput('SECRET', noLimits)).toEqual({ scopes: null, allowedNetworks: null, expiresAt: null });
  expect(networksOf(' 10.0.0.0/8,\n\n2001:db8::/32; 203.0.113.7 ')).toEqual([
    '10.0.0.0/8',
    '2001:db8::/32',
    '203.0.113.7',
  ]);
  const limits = { scopes: ['READ'] as const, networks: '10.0.0.0/8', lastDay: '2030-02-03' };
  const expiresAt = new Date('2030-02-03T23:59:59').toISOString();
  expect(limitsInput('SECRET', limits)).toEqual({ scopes: ['READ'], allowedNetworks: ['10.0.0.0/8'], expiresAt });
  expect(limitsInput('PUBLISHABLE', limits).scopes).toBeNull();
  expect([...keyScopes].sort()).toEqual([...scopesOfApi].sort());
});

test('every action in a merchant’s log has a text and a group', () => {
  const words = JSON.parse(readFileSync(new URL('../../web/src/words/en/audit.json', import.meta.url), 'utf8'));
  const ofInstallation = /^(chain|database|payout|platform_credential|signing_key)\./;
  for (const action of auditActions.filter((each) => !ofInstallation.test(each))) {
    const [group = '', name = ''] = action.split('.');
    expect.soft([action, words.actions[group]?.[name]]).toEqual([action, expect.any(String)]);
    if (group !== 'merchant') expect.soft(actionGroups).toContain(group);
  }
  expect(Object.keys(words.groups)).toEqual([...actionGroups]);
});

test('a filter applies equally to the list and to the export', () => {
  const none = { group: undefined, actorKind: undefined, appId: undefined };
  expect(filterOf(none)).toEqual({ action: null, actorKind: null, appId: null });
  expect(exportPath(none, 'ndjson')).toBe('/audit-log/export?format=ndjson');
  const some = { group: 'api_key', actorKind: 'MEMBER', appId: 'app' } as const;
  expect(filterOf(some)).toEqual({ action: ['api_key.*'], actorKind: 'MEMBER', appId: 'app' });
  expect(exportPath(some, 'csv')).toBe('/audit-log/export?format=csv&action=api_key.*&actorKind=MEMBER&appId=app');
});

test('changes are listed by field, and a deleted object has no link', () => {
  expect(changesOf({ before: { name: 'A', active: true }, after: { name: 'B', networks: ['10.0.0.0/8'] } })).toEqual([
    { field: 'name', before: 'A', after: 'B' },
    { field: 'active', before: 'true', after: null },
    { field: 'networks', before: null, after: '["10.0.0.0/8"]' },
  ]);
  expect(changesOf({ before: null, after: null })).toEqual([]);
  const target = { action: 'payment_link.updated', targetType: 'PaymentLink', targetId: '1' };
  expect(targetWay(target)).toBe('/links/1');
  expect(targetWay({ ...target, action: 'payment_link.deleted' })).toBeUndefined();
  expect(targetWay({ ...target, targetType: 'Chain' })).toBeUndefined();
});
