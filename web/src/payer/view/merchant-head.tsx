/** The recipient: with name and logo from the gateway, or by address only. */
import { Address } from '../../ui/addresses/address.tsx';
import { MerchantMark } from '../../ui/merchant-mark.tsx';
import styles from './payer.module.css';

type MerchantHeadProps = {
  merchant: { name: string; logoUrl: string | null } | undefined;
  address: string;
  about: string | undefined;
};

export function MerchantHead({ merchant, address, about }: MerchantHeadProps) {
  return (
    <div className={styles.merchant}>
      {merchant && <MerchantMark name={merchant.name} logoUrl={merchant.logoUrl} />}
      <div className={styles.names}>
        <h3>{merchant ? merchant.name : <Address value={address} />}</h3>
        {about && <p className={styles.soft}>{about}</p>}
      </div>
    </div>
  );
}
