/** The restrictions of a key: its scopes, its networks and its expiry. */
import { useTranslation } from 'react-i18next';
import type { ApiKeyScope } from '../../../../../generated/web/documents.ts';
import { ApiError } from '../../../api/api-error.ts';
import { Checkbox } from '../../../ui/fields/checkbox.tsx';
import { Select } from '../../../ui/fields/select.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import styles from '../developers.module.css';
import { type KeyLimits, keyScopes, networksOf } from './key-limits.ts';

type KeyLimitFieldsProps = {
  kind: 'SECRET' | 'PUBLISHABLE';
  limits: KeyLimits;
  onChange: (limits: KeyLimits) => void;
  error: unknown;
};

export function KeyLimitFields({ kind, limits, onChange, error }: KeyLimitFieldsProps) {
  const { t } = useTranslation();
  const { scopes, networks, lastDay } = limits;
  const toggle = (scope: ApiKeyScope, isOn: boolean) => {
    const chosen = keyScopes.filter((one) => (one === scope ? isOn : scopes?.includes(one)));
    onChange({ ...limits, scopes: chosen });
  };
  return (
    <>
      {kind === 'SECRET' && (
        <Select
          label={t('developers.keys.rights')}
          hint={t('developers.keys.rightsHint')}
          value={scopes === null ? 'ALL' : 'SOME'}
          onChange={(rights) => onChange({ ...limits, scopes: rights === 'ALL' ? null : ['READ'] })}
          options={(['ALL', 'SOME'] as const).map((value) => ({
            value,
            words: t(`developers.keys.rightsOf.${value}`),
          }))}
        />
      )}
      {kind === 'SECRET' && scopes !== null && (
        <fieldset className={styles.scopes}>
          <legend className="visually-hidden">{t('developers.keys.rights')}</legend>
          {keyScopes.map((scope) => (
            <Checkbox
              key={scope}
              label={t(`developers.keys.scopes.${scope}`)}
              hint={t(`developers.keys.scopesAbout.${scope}`)}
              isChecked={scopes.includes(scope)}
              onChange={(isOn) => toggle(scope, isOn)}
            />
          ))}
        </fieldset>
      )}
      <TextArea
        label={t('developers.keys.networks')}
        hint={t('developers.keys.networksHint')}
        name="allowedNetworks"
        error={networkFault(error, networks)}
        rows={2}
        value={networks}
        placeholder="203.0.113.0/24"
        spellCheck={false}
        onChange={(event) => onChange({ ...limits, networks: event.target.value })}
      />
      <TextField
        label={t('developers.keys.lastDay')}
        hint={t('developers.keys.lastDayHint')}
        name="expiresAt"
        type="date"
        value={lastDay}
        onChange={(event) => onChange({ ...limits, lastDay: event.target.value })}
      />
    </>
  );
}

/** The error about the first invalid network, which it names. */
function networkFault(error: unknown, typed: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  for (const { param, message } of error.fault.details ?? []) {
    const place = /^(?:.*\.)?allowedNetworks\[(\d+)\]$/.exec(param)?.[1];
    const network = place === undefined ? undefined : networksOf(typed)[Number(place)];
    if (network !== undefined) return `${network} ${message}`;
  }
  return undefined;
}
