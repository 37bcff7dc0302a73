/** The dialog that creates or changes a customer. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  CustomerCreateDocument,
  type CustomerFieldsFragment,
  CustomerStoryDocument,
  CustomersListDocument,
  CustomerUpdateDocument,
} from '../../../../generated/web/documents.ts';
import { useFaults } from '../../ui/fields/form/use-faults.ts';
import { Select } from '../../ui/fields/select.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { FormDialog } from '../resources/form-dialog.tsx';
import { languages } from '../resources/languages.ts';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import {
  type CustomerFieldName,
  changesOf,
  customerFieldNames,
  formOf,
  lengths,
  readMetadata,
} from './customer-form.ts';
import styles from './customers.module.css';

type CustomerDialogProps = {
  /** Null for a new customer. */
  customer: CustomerFieldsFragment | null;
  onClose: () => void;
  onMade?: (id: string) => void;
};

const isText = (name: CustomerFieldName) => name !== 'locale';

export function CustomerDialog({ customer, onClose, onMade }: CustomerDialogProps) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [before] = useState(() => formOf(customer));
  const [form, setForm] = useState(before);
  const create = useApiMutation(CustomerCreateDocument, { changes: [CustomersListDocument] });
  const update = useApiMutation(CustomerUpdateDocument, { changes: [CustomersListDocument, CustomerStoryDocument] });
  const error = create.error ?? update.error;
  const faults = useFaults(
    error,
    customerFieldNames.flatMap((name) => [name, `input.${name}`]),
  );
  const isMetadataGood = readMetadata(form.metadata) !== null;
  const save = async () => {
    if (!isMetadataGood) return;
    const changes = changesOf(before, form);
    if (customer) {
      const isDone = await update.mutateAsync({ id: customer.id, input: changes }).then(Boolean, () => false);
      if (isDone) onClose();
      return;
    }
    const made = await create.mutateAsync({ input: { ...changes, appId: app.id } }).catch(() => null);
    if (!made) return;
    onClose();
    onMade?.(made.createCustomer.id);
  };
  return (
    <FormDialog
      title={customer ? t('customers.edit') : t('customers.new')}
      action={customer ? t('everywhere.save') : t('customers.create')}
      onClose={onClose}
      onSend={save}
      isBusy={create.isPending || update.isPending}
      error={faults.rest}
    >
      <div className={styles.form}>
        {customerFieldNames.filter(isText).map((name) => (
          <TextField
            key={name}
            label={t(`customers.fields.${name}`)}
            type={name === 'email' ? 'email' : 'text'}
            maxLength={lengths[name]}
            value={form[name]}
            name={name}
            error={faults.at(name) ?? faults.at(`input.${name}`)}
            onChange={(event) => setForm({ ...form, [name]: event.target.value })}
          />
        ))}
        <Select
          label={t('customers.fields.locale')}
          value={form.locale}
          onChange={(locale) => setForm({ ...form, locale })}
          options={[{ value: '', words: t('customers.localeOfApp') }, ...languages]}
        />
        <div className={styles.whole}>
          <TextArea
            label={t('customers.fields.metadata')}
            hint={t('customers.metadataHint')}
            rows={3}
            value={form.metadata}
            error={isMetadataGood ? undefined : t('customers.metadataFault')}
            onChange={(event) => setForm({ ...form, metadata: event.target.value })}
          />
        </div>
      </div>
    </FormDialog>
  );
}
