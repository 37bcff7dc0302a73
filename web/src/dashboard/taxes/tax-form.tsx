/** Creates or changes a tax rate. The API checks the limits. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TaxCreateDocument, TaxUpdateDocument } from '../../../../generated/web/documents.ts';
import { Checkbox } from '../../ui/fields/checkbox.tsx';
import { useFaults } from '../../ui/fields/form/use-faults.ts';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { FormDialog } from '../resources/form-dialog.tsx';
import styles from '../resources/resources.module.css';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { readPercentage } from './read-percentage.ts';
import type { TaxRow } from './tax-row.ts';

const params = ['displayName', 'percentage', 'inclusive', 'jurisdiction', 'description'] as const;

export function TaxForm({ rate, onClose }: { rate?: TaxRow; onClose: () => void }) {
  const { t } = useTranslation();
  const showToast = useToasts();
  const [displayName, setName] = useState(rate?.displayName ?? '');
  const [percentage, setPercentage] = useState(rate ? String(rate.percentage) : '');
  const [inclusive, setInclusive] = useState(rate?.inclusive ?? false);
  const [jurisdiction, setJurisdiction] = useState(rate?.jurisdiction ?? '');
  const [description, setDescription] = useState(rate?.description ?? '');
  const [isTried, setTried] = useState(false);
  const percent = readPercentage(percentage);
  const create = useApiMutation(TaxCreateDocument);
  const update = useApiMutation(TaxUpdateDocument);
  const error = create.error ?? update.error;
  const faults = useFaults(error, params);
  const send = () => {
    setTried(true);
    if (percent === null) return;
    const input = {
      displayName: displayName.trim(),
      percentage: percent,
      inclusive,
      jurisdiction: jurisdiction.trim() || null,
      description: description.trim() || null,
    };
    const onSuccess = () => {
      showToast({ title: t(rate ? 'catalog.saved' : 'catalog.tax.created') });
      onClose();
    };
    if (rate) update.mutate({ id: rate.id, input }, { onSuccess });
    else create.mutate({ input }, { onSuccess });
  };
  return (
    <FormDialog
      title={rate ? t('catalog.tax.edit') : t('catalog.tax.new')}
      action={rate ? t('everywhere.save') : t('catalog.tax.create')}
      onClose={onClose}
      onSend={send}
      isBusy={create.isPending || update.isPending}
      error={faults.rest}
    >
      <TextField
        label={t('catalog.name')}
        name="displayName"
        hint={t('catalog.tax.nameHint')}
        value={displayName}
        onChange={(event) => setName(event.target.value)}
        maxLength={100}
        error={faults.at('displayName')}
      />
      <div className={styles.pair}>
        <TextField
          label={t('catalog.tax.percentage')}
          name="percentage"
          inputMode="decimal"
          hint={t('catalog.tax.percentageHint')}
          value={percentage}
          onChange={(event) => setPercentage(event.target.value)}
          error={isTried && percent === null ? t('catalog.tax.notPlain') : faults.at('percentage')}
        />
        <TextField
          label={t('catalog.tax.jurisdiction')}
          name="jurisdiction"
          hint={t('catalog.tax.jurisdictionHint')}
          value={jurisdiction}
          onChange={(event) => setJurisdiction(event.target.value)}
          maxLength={50}
          error={faults.at('jurisdiction')}
        />
      </div>
      <Checkbox
        label={t('catalog.tax.inclusive')}
        hint={t('catalog.tax.inclusiveHint')}
        isChecked={inclusive}
        onChange={setInclusive}
      />
      <TextField
        label={t('catalog.description')}
        name="description"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
        maxLength={500}
        error={faults.at('description')}
      />
    </FormDialog>
  );
}
