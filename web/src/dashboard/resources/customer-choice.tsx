/** A choice of a customer of the app, found by name or email address. */
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ResourceCustomerDocument, ResourceCustomersDocument } from '../../../../generated/web/documents.ts';
import { Select } from '../../ui/fields/select.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { customerName } from './customer-name.ts';
import styles from './resources.module.css';

type CustomerChoiceProps = { value: string; onChange: (id: string) => void; error?: string | undefined };

export function CustomerChoice({ value, onChange, error }: CustomerChoiceProps) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const { data } = useAsk(
    ResourceCustomersDocument,
    { appId: app.id, ...(search ? { search } : {}) },
    { keepsLast: true },
  );
  const found = data?.customers.nodes ?? [];
  // The chosen customer stays an option although the search no longer finds it, because it is the one that the form sends.
  const chosen = useAsk(ResourceCustomerDocument, { id: value }, { isEnabled: value !== '' }).data?.customer;
  const options = !chosen || found.some(({ id }) => id === chosen.id) ? found : [chosen, ...found];
  return (
    <div className={styles.pair}>
      <TextField
        label={t('catalog.customer.search')}
        type="search"
        value={text}
        maxLength={255}
        placeholder={t('catalog.customer.searchHint')}
        onChange={(event) => setText(event.target.value)}
      />
      <Select
        label={t('catalog.customer.choice')}
        error={error}
        value={options.some(({ id }) => id === value) ? value : ''}
        onChange={onChange}
        options={[
          { value: '', words: found.length === 0 ? t('catalog.customer.nobody') : t('catalog.customer.choose') },
          ...options.map((customer) => ({ value: customer.id, words: customerName(customer) })),
        ]}
      />
    </div>
  );
}
