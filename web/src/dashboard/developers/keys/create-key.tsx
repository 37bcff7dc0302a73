import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DeveloperCreateKeyDocument, DeveloperKeysDocument } from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Form } from '../../../ui/fields/form/form.tsx';
import { askToLeave } from '../../../ui/fields/form/unsaved-forms.ts';
import { Select } from '../../../ui/fields/select.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useApiMutation } from '../../session/use-api-mutation.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { PayoutNote } from '../../setup/payout-note.tsx';
import styles from '../developers.module.css';
import { KeyLimitFields } from './key-limit-fields.tsx';
import { type KeyLimits, limitsInput, noLimits } from './key-limits.ts';
import { KeySecret } from './key-secret.tsx';

export function CreateKey({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [kind, setKind] = useState<'SECRET' | 'PUBLISHABLE'>('SECRET');
  const [name, setName] = useState('');
  const [limits, setLimits] = useState<KeyLimits>(noLimits);
  const { mutate, isPending, data, error } = useApiMutation(DeveloperCreateKeyDocument, {
    changes: [DeveloperKeysDocument],
  });
  const made = data?.createApiKey;
  const create = () =>
    mutate({ input: { appId: app.id, kind, name: name.trim() || null, ...limitsInput(kind, limits) } });
  const id = useId();
  const isEmpty = kind === 'SECRET' && limits.scopes?.length === 0;
  return (
    <Dialog
      isOpen
      isWide={!made && kind === 'SECRET' && limits.scopes !== null}
      onClose={() => askToLeave(onClose)}
      title={made ? t('developers.keys.madeTitle') : t('developers.keys.create')}
      actions={
        made ? (
          <Button look="primary" onPress={onClose}>
            {t('developers.keys.stored')}
          </Button>
        ) : (
          <>
            <Button onPress={onClose}>{t('everywhere.cancel')}</Button>
            <Button type="submit" form={id} look="primary" isBusy={isPending} isDisabled={isEmpty}>
              {t('developers.keys.create')}
            </Button>
          </>
        )
      }
    >
      {made ? (
        <KeySecret secret={made.secret} name={t('developers.keys.key')} />
      ) : (
        <Form id={id} onSend={create} isBusy={isPending} isDisabled={isEmpty} error={error} className={styles.form}>
          <PayoutNote />
          <Select
            label={t('developers.keys.kind')}
            hint={t(`developers.keys.kindAbout.${kind}`)}
            value={kind}
            onChange={setKind}
            options={(['SECRET', 'PUBLISHABLE'] as const).map((value) => ({
              value,
              words: t(`developers.keys.kinds.${value}`),
            }))}
          />
          <TextField
            label={t('developers.keys.name')}
            hint={t('developers.keys.nameHint')}
            name="name"
            value={name}
            maxLength={255}
            onChange={(event) => setName(event.target.value)}
          />
          <KeyLimitFields kind={kind} limits={limits} onChange={setLimits} error={error} />
        </Form>
      )}
    </Dialog>
  );
}
