/** The details of a customer. */
import { useTranslation } from 'react-i18next';
import { Time } from '../../ui/state/time.tsx';
import type { Customer } from './customer.ts';
import { customerFieldNames } from './customer-form.ts';
import styles from './customers.module.css';

export function CustomerFacts({ customer }: { customer: Customer }) {
  const { t } = useTranslation();
  const entries = Object.entries(customer.metadata ?? {});
  return (
    <section aria-labelledby="facts" className={styles.card}>
      <h2 id="facts">{t('customers.facts')}</h2>
      <dl className={styles.facts}>
        {customerFieldNames
          .filter((name) => customer[name] !== null)
          .map((name) => [
            <dt key={`${name} name`}>{t(`customers.fields.${name}`)}</dt>,
            <dd key={`${name} value`}>{customer[name]}</dd>,
          ])}
        <dt>{t('customers.columns.created')}</dt>
        <dd>
          <Time at={customer.createdAt} isAbsolute />
        </dd>
      </dl>
      {entries.length > 0 && (
        <>
          <h3>{t('customers.fields.metadata')}</h3>
          <dl className={styles.facts}>
            {entries.map(([key, value]) => [
              <dt key={`${key} name`}>{key}</dt>,
              <dd key={`${key} value`}>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>,
            ])}
          </dl>
        </>
      )}
    </section>
  );
}
