import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type DeveloperKeyFragment,
  DeveloperKeysDocument,
  DeveloperRotateKeyDocument,
} from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Select } from '../../../ui/fields/select.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { useApiMutation } from '../../session/use-api-mutation.ts';
import { KeySecret } from './key-secret.tsx';

/** The number of seconds for which the old key still works. */
const overlaps = ['0', '3600', '86400', '604800'] as const;

export function RotateKey({ apiKey, onClose }: { apiKey: DeveloperKeyFragment; onClose: () => void }) {
  const { t } = useTranslation();
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]>('86400');
  const { mutateAsync, data, error } = useApiMutation(DeveloperRotateKeyDocument, { changes: [DeveloperKeysDocument] });
  const made = data?.rotateApiKey;
  const rotate = () => mutateAsync({ id: apiKey.id, overlapSeconds: Number(overlap) }).catch(() => {});
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        made ? t('developers.keys.madeTitle') : t('developers.keys.rotateTitle', { name: apiKey.name ?? apiKey.prefix })
      }
      actions={
        made ? (
          <Button look="primary" onPress={onClose}>
            {t('developers.keys.stored')}
          </Button>
        ) : (
          <>
            <Button onPress={onClose}>{t('everywhere.cancel')}</Button>
            <Button look="primary" onPress={rotate}>
              {t('developers.keys.rotate')}
            </Button>
          </>
        )
      }
    >
      {made ? (
        <KeySecret secret={made.secret} name={t('developers.keys.key')} />
      ) : (
        <>
          <Select
            label={t('developers.keys.overlap')}
            hint={t('developers.keys.overlapHint')}
            value={overlap}
            onChange={setOverlap}
            options={overlaps.map((value) => ({ value, words: t(`developers.keys.overlaps.${value}`) }))}
          />
          <ErrorNote error={error} />
        </>
      )}
    </Dialog>
  );
}
