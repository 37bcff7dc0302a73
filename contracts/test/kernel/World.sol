// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {PaymentEscrow} from "../../PaymentEscrow.sol";
import {ConsentKernel} from "../../kernel/ConsentKernel.sol";
import {CreditKernel} from "../../kernel/CreditKernel.sol";
import {DepositKernel} from "../../kernel/DepositKernel.sol";
import {PaymentKernel} from "../../kernel/PaymentKernel.sol";
import {UsdcToken} from "../../tokens/UsdcToken.sol";

/// @notice The few cheatcodes used here; there is no official forge-std to depend on.
interface Cheats {
    function addr(uint256 key) external pure returns (address);
    function deal(address account, uint256 balance) external;
    function envOr(string calldata name, uint256 fallbackValue) external view returns (uint256);
    function envOr(string calldata name, bytes calldata fallbackValue) external view returns (bytes memory);
    function etch(address account, bytes calldata code) external;
    function prank(address sender) external;
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function warp(uint256 timestamp) external;
}

Cheats constant cheats = Cheats(address(uint160(uint256(keccak256("hevm cheat code")))));

/// @notice One escrow, everybody's credits, and a sequence's payments, deposits and consent, each with its kernel. Of two
///         kinds of money, 0 is a token and 1 the native coin.
abstract contract World {
    enum Op {
        AUTHORIZE,
        CAPTURE,
        VOID,
        RECLAIM,
        REFUND,
        SETTLE,
        DISPUTE,
        RESOLVE,
        CONCEDE,
        RESOLVE_BY_TIMEOUT,
        CHARGE,
        REVOKE,
        AUTHORIZE_FROM_DEPOSIT,
        RETURN_DEPOSIT,
        CLAIM,
        CLAIM_FOR
    }

    struct Payment {
        bytes32 id;
        IPaymentEscrow.PaymentTerms terms;
        PaymentKernel kernel;
        bool fromDeposit;
    }

    /// @dev What lies at the deposit address of the payment with the same index, of both kinds.
    struct Deposit {
        address box;
        DepositKernel[2] kernels;
    }

    struct Consent {
        bytes32 id;
        IPaymentEscrow.RecurringConsent fields;
        ConsentKernel kernel;
    }

    uint256 internal constant OPS = 16;
    uint256 internal constant PAYER_KEY = 0xA11CE;
    uint256 internal constant OPERATOR_KEY = 0x0B0B;
    uint256 private constant START = 1_800_000_000;
    uint256 private constant PLENTY = 1 << 200;

    PaymentEscrow internal escrow;
    UsdcToken internal usdc;
    address internal payer = cheats.addr(PAYER_KEY);
    address internal operator = cheats.addr(OPERATOR_KEY);
    address internal merchant = address(0x3E2C4A27);
    address internal arbiter = address(0xA2B17E2);
    address internal feeRecipient = address(0xFEE0000);
    address internal stranger = address(0x57A6E2);

    Payment[] internal payments;
    Deposit[] internal deposits;
    mapping(address => CreditKernel[2]) internal credits;
    /// @dev Whether an account takes neither kind of money now.
    mapping(address => bool) internal refuses;
    Consent internal consent;
    /// @dev What the escrow held when the sequence began, beside what it owed.
    uint256[2] internal heldAtStart;
    /// @dev What each account owned, or was owed, when the sequence began.
    mapping(address => uint256[2]) private ownedAtStart;
    /// @dev What claims of others' credits, at their wish, brought an account or took from it in this sequence.
    mapping(address => uint256[2]) private claimedFromOthers;
    mapping(address => uint256[2]) private claimedForOthers;
    uint256 private dice;
    uint256 private time;

    function setUp() external {
        escrow = new PaymentEscrow();
        // The released code, compiled with the release's settings.
        bytes memory released = cheats.envOr("ESCROW_RUNTIME_CODE", bytes(""));
        if (released.length != 0) cheats.etch(address(escrow), released);
        usdc = new UsdcToken();
        usdc.mint(payer, PLENTY);
        cheats.deal(payer, PLENTY);
        cheats.prank(payer);
        usdc.approve(address(escrow), type(uint256).max);
        address[6] memory accounts = _accounts();
        for (uint256 i; i < accounts.length; ++i) {
            for (uint256 kind; kind < 2; ++kind) {
                credits[accounts[i]][kind] =
                    new CreditKernel(accounts[i], _token(kind), address(escrow), address(0));
            }
        }
    }

    function _begin(uint256 seed) internal {
        dice = uint256(keccak256(abi.encode("sequence", seed)));
        time = START + _roll(400 days);
        cheats.warp(time);
        delete payments;
        delete deposits;
        for (uint256 i; i < 2; ++i) _open();
        _consent();
        heldAtStart = [usdc.balanceOf(address(escrow)), address(escrow).balance];
        address[6] memory accounts = _accounts();
        for (uint256 i; i < accounts.length; ++i) {
            for (uint256 kind; kind < 2; ++kind) {
                uint256 owed = credits[accounts[i]][kind].owed();
                heldAtStart[kind] -= owed;
                ownedAtStart[accounts[i]][kind] = _balance(accounts[i], kind) + owed;
                claimedFromOthers[accounts[i]][kind] = 0;
                claimedForOthers[accounts[i]][kind] = 0;
            }
        }
    }

    function _roll(uint256 sides) internal returns (uint256) {
        dice = uint256(keccak256(abi.encode(dice)));
        return dice % sides;
    }

    /// @dev Mostly nothing, else to one of a payment's last or first seconds, or somewhere.
    function _passTime() internal {
        uint256 kind = _roll(8);
        if (kind < 6) return;
        uint256 target = kind == 6 ? _boundary() : time + _roll(3 days);
        if (target <= time) return;
        time = target;
        cheats.warp(time);
    }

    function _boundary() private returns (uint256) {
        Payment storage payment = payments[_roll(payments.length)];
        uint256 kind = _roll(5);
        uint256 second = payment.terms.authorizeBy;
        if (kind == 1) second = payment.terms.captureBy;
        if (kind == 2) second = uint256(payment.kernel.capturedAt()) + payment.terms.timelock;
        if (kind == 3) second = uint256(payment.kernel.capturedAt()) + payment.terms.disputeWindow;
        if (kind == 4) second = uint256(payment.kernel.disputedAt()) + payment.terms.disputeTimeout;
        second += _roll(3);
        return second == 0 ? 0 : second - 1;
    }

    // Recipients that refuse, credits and deposits.

    /// @dev Now and then a role's account begins or ceases to refuse what is pushed to it.
    function _changeMinds() internal {
        if (_roll(6) != 0) return;
        address[6] memory accounts = _accounts();
        address account = accounts[_roll(3)];
        _setRefusal(account, !refuses[account]);
    }

    function _setRefusal(address account, bool value) internal {
        if (refuses[account] == value) return;
        refuses[account] = value;
        if (value) usdc.blacklist(account);
        else usdc.unBlacklist(account);
        // Code that reverts: whatever calls the account fails.
        cheats.etch(account, value ? bytes(hex"60006000fd") : bytes(""));
    }

    /// @dev What a transition gave a role whose account refuses is credited to that account.
    function _credit(Payment storage payment, uint256[3] memory before) internal {
        uint256[3] memory given = _given(payment.kernel);
        address[3] memory roles = [payment.terms.payer, payment.terms.merchant, payment.terms.feeRecipient];
        for (uint256 i; i < roles.length; ++i) {
            if (given[i] == before[i] || !refuses[roles[i]]) continue;
            credits[roles[i]][_kind(payment.terms.token)].credit(uint128(given[i] - before[i]));
        }
    }

    function _given(PaymentKernel kernel) internal view returns (uint256[3] memory) {
        return [kernel.paidToPayer(), kernel.paidToMerchant(), kernel.paidToFeeRecipient()];
    }

    function _noteClaim(address recipient, address to, uint256 kind, uint256 amount) internal {
        claimedForOthers[recipient][kind] += amount;
        claimedFromOthers[to][kind] += amount;
    }

    /// @dev Now and then money arrives at a deposit address: mostly the payment's own, mostly the amount.
    function _arrive() internal {
        if (_roll(6) != 0) return;
        uint256 index = _roll(deposits.length);
        uint256 kind = _kind(payments[index].terms.token);
        if (_roll(4) == 0) kind = 1 - kind;
        uint128 amount = payments[index].terms.amount;
        if (_roll(3) == 0) amount = uint128(_roll(uint256(amount) + 1));
        address box = deposits[index].box;
        if (kind == 0) usdc.mint(box, amount);
        else cheats.deal(box, box.balance + amount);
        deposits[index].kernels[kind].arrive(amount);
    }

    function _kind(address token) internal pure returns (uint256) {
        return token == address(0) ? 1 : 0;
    }

    function _token(uint256 kind) internal view returns (address) {
        return kind == 0 ? address(usdc) : address(0);
    }

    function _balance(address account, uint256 kind) internal view returns (uint256) {
        return kind == 0 ? usdc.balanceOf(account) : account.balance;
    }

    // Payments.

    function _open() private {
        IPaymentEscrow.PaymentTerms memory terms;
        terms.intentId = bytes32(_roll(type(uint256).max));
        terms.payer = payer;
        terms.merchant = _roll(8) == 0 ? payer : merchant;
        terms.token = _roll(3) == 0 ? address(0) : address(usdc);
        terms.amount = _amount();
        terms.authorizeBy = uint40(time + _roll(2 days));
        // Later than any hold may last: until it comes nearer, such a payment reserves no deposit.
        if (_roll(8) == 0) terms.authorizeBy = uint40(time + 89 days + _roll(3 days));
        else terms.captureBy = terms.authorizeBy + uint40(_roll(88 days));
        if (terms.captureBy == 0) terms.captureBy = terms.authorizeBy;
        terms.feeBps = uint16(_roll(1_001));
        terms.feeRecipient = _feeRecipient();
        terms.operator = operator;
        terms.timelock = uint32(_roll(20 days));
        _setDisputes(terms);
        terms.captureOnAuthorize = _roll(2) == 0;
        if (_roll(8) == 0) _breakBounds(terms);
        _keep(escrow.idOf(terms), terms, _newKernel(terms));
        deposits.push();
        Deposit storage deposit = deposits[deposits.length - 1];
        deposit.box = escrow.depositAddressOf(terms);
        deposit.kernels = [_depositKernel(terms, 0), _depositKernel(terms, 1)];
    }

    function _newKernel(IPaymentEscrow.PaymentTerms memory terms) internal returns (PaymentKernel) {
        return new PaymentKernel(_kernelTerms(terms), address(escrow), address(0));
    }

    function _depositKernel(IPaymentEscrow.PaymentTerms memory terms, uint256 kind) private returns (DepositKernel) {
        return new DepositKernel(
            DepositKernel.Terms({
                payer: terms.payer,
                token: terms.token,
                amount: terms.amount,
                authorizeBy: terms.authorizeBy,
                operator: terms.operator
            }),
            _token(kind),
            address(escrow),
            address(0)
        );
    }

    function _setDisputes(IPaymentEscrow.PaymentTerms memory terms) private {
        if (_roll(5) == 0) return;
        terms.disputeWindow = terms.timelock == 0 ? 0 : uint32(1 + _roll(terms.timelock));
        terms.arbiter = terms.disputeWindow == 0 ? address(0) : arbiter;
        terms.disputeTimeout = uint32(7 days + _roll(83 days + 1));
        terms.timeoutPayerBps = _bpsWithin();
    }

    /// @dev One second, one basis point or one account out of what authorization allows; sometimes the last one within.
    function _breakBounds(IPaymentEscrow.PaymentTerms memory terms) private {
        uint256 kind = _roll(16);
        uint256 beyond = _roll(2);
        address sink = terms.token == address(0) || beyond == 0 ? address(escrow) : address(usdc);
        if (kind == 0) terms.amount = 0;
        if (kind == 1) terms.feeBps = uint16(1_000 + beyond);
        if (kind == 2) terms.feeRecipient = address(0);
        if (kind == 3) terms.authorizeBy = uint40(time - beyond);
        if (kind == 4) terms.captureBy = uint40(terms.authorizeBy - beyond);
        if (kind == 5) terms.captureBy = uint40(time + 90 days + beyond);
        if (kind == 6) terms.timelock = uint32(180 days + beyond);
        if (kind == 7) terms.disputeWindow = uint32(terms.timelock + beyond);
        if (kind == 8) terms.disputeTimeout = uint32(7 days - beyond);
        if (kind == 9) terms.disputeTimeout = uint32(90 days + beyond);
        if (kind == 10) terms.timeoutPayerBps = uint16(10_000 + beyond);
        if (kind == 11) terms.arbiter = beyond == 0 ? address(0) : arbiter;
        if (kind == 12) terms.arbiter = operator;
        if (kind == 13) terms.payer = sink;
        if (kind == 14) terms.merchant = sink;
        if (kind == 15) terms.feeRecipient = sink;
    }

    function _keep(bytes32 id, IPaymentEscrow.PaymentTerms memory terms, PaymentKernel kernel) internal {
        payments.push(Payment({id: id, terms: terms, kernel: kernel, fromDeposit: false}));
    }

    function _kernelTerms(IPaymentEscrow.PaymentTerms memory terms)
        internal
        pure
        returns (PaymentKernel.Terms memory kernel)
    {
        kernel.payer = terms.payer;
        kernel.merchant = terms.merchant;
        kernel.token = terms.token;
        kernel.amount = terms.amount;
        kernel.authorizeBy = terms.authorizeBy;
        kernel.captureBy = terms.captureBy;
        kernel.timelock = terms.timelock;
        kernel.disputeWindow = terms.disputeWindow;
        kernel.disputeTimeout = terms.disputeTimeout;
        kernel.timeoutPayerBps = terms.timeoutPayerBps;
        kernel.feeBps = terms.feeBps;
        kernel.feeRecipient = terms.feeRecipient;
        kernel.operator = terms.operator;
        kernel.arbiter = terms.arbiter;
        kernel.captureOnAuthorize = terms.captureOnAuthorize;
    }

    // Consents.

    function _consent() private {
        IPaymentEscrow.RecurringConsent memory fields;
        fields.subscriptionId = bytes32(_roll(type(uint256).max));
        fields.payer = payer;
        fields.merchant = merchant;
        fields.token = _roll(16) == 0 ? address(0) : address(usdc);
        fields.capPerPeriod = _amount();
        fields.start = uint40(time - _roll(40 days));
        fields.unit = uint8(_roll(16) == 0 ? 2 : _roll(2));
        fields.count = uint32(fields.unit == 0 ? 1 days + _roll(30 days) : _roll(3));
        fields.end = _roll(3) == 0 ? uint40(time + _roll(60 days)) : 0;
        fields.feeBps = uint16(_roll(1_001));
        fields.feeRecipient = _feeRecipient();
        fields.operator = operator;
        fields.timelock = uint32(1 + _roll(20 days));
        fields.disputeWindow = uint32(1 + _roll(fields.timelock));
        fields.arbiter = arbiter;
        fields.disputeTimeout = uint32(7 days + _roll(83 days + 1));
        fields.timeoutPayerBps = _bpsWithin();
        consent.id = escrow.consentIdOf(fields);
        consent.fields = fields;
        consent.kernel = _consentKernel(fields);
    }

    function _consentKernel(IPaymentEscrow.RecurringConsent memory fields) private returns (ConsentKernel) {
        return new ConsentKernel(
            _rulesOf(_signedTerms(fields)),
            fields.capPerPeriod,
            fields.start,
            fields.unit,
            fields.count,
            fields.end,
            0,
            address(0)
        );
    }

    /// @dev What a charge's terms share with the consent.
    function _signedTerms(IPaymentEscrow.RecurringConsent memory fields)
        private
        pure
        returns (IPaymentEscrow.PaymentTerms memory terms)
    {
        terms.payer = fields.payer;
        terms.merchant = fields.merchant;
        terms.token = fields.token;
        terms.feeRecipient = fields.feeRecipient;
        terms.operator = fields.operator;
        terms.arbiter = fields.arbiter;
        terms.timelock = fields.timelock;
        terms.disputeWindow = fields.disputeWindow;
        terms.disputeTimeout = fields.disputeTimeout;
        terms.timeoutPayerBps = fields.timeoutPayerBps;
        terms.feeBps = fields.feeBps;
    }

    function _rulesOf(IPaymentEscrow.PaymentTerms memory terms) internal pure returns (ConsentKernel.Rules memory) {
        return ConsentKernel.Rules({
            payer: terms.payer,
            merchant: terms.merchant,
            token: terms.token,
            feeRecipient: terms.feeRecipient,
            operator: terms.operator,
            arbiter: terms.arbiter,
            timelock: terms.timelock,
            disputeWindow: terms.disputeWindow,
            disputeTimeout: terms.disputeTimeout,
            timeoutPayerBps: terms.timeoutPayerBps,
            feeBps: terms.feeBps
        });
    }

    /// @dev Terms of a charge within the consent, or with one thing that the payer did not sign.
    function _chargeTerms(uint32 period) internal returns (IPaymentEscrow.PaymentTerms memory terms) {
        terms = _signedTerms(consent.fields);
        uint128 cap = consent.fields.capPerPeriod;
        terms.intentId = escrow.chargeIntentId(consent.id, period);
        terms.amount = _roll(2) == 0 ? cap : uint128(_roll(uint256(cap) + 2));
        terms.authorizeBy = uint40(time);
        terms.captureBy = uint40(time);
        terms.captureOnAuthorize = _roll(16) != 0;
        uint256 kind = _roll(24);
        if (kind == 0) terms.merchant = stranger;
        if (kind == 1) terms.feeRecipient = stranger;
        if (kind == 2) terms.feeBps ^= 1;
        if (kind == 3) terms.timelock += 1;
        if (kind == 4) terms.disputeWindow -= 1;
        if (kind == 5) terms.disputeTimeout += 1;
        if (kind == 6) terms.timeoutPayerBps ^= 1;
        if (kind == 7) terms.arbiter = stranger;
        if (kind == 8) terms.captureBy -= 1;
    }

    function _chargeHash(bytes32 consentId, uint32 period, bytes32 id) internal pure returns (bytes32) {
        bytes32 typeHash = keccak256("Charge(bytes32 consentId,uint32 period,bytes32 id)");
        return keccak256(abi.encode(typeHash, consentId, period, id));
    }

    // Calls.

    function _accepts(address caller, address target, uint256 value, bytes memory data) internal returns (bool ok) {
        cheats.prank(caller);
        (ok,) = target.call{value: value}(data);
    }

    function _signed(uint256 key, bytes32 structHash) internal view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = cheats.sign(key, escrow.digestOf(structHash));
        return abi.encodePacked(r, s, v);
    }

    /// @dev Mostly one who may do something.
    function _caller(IPaymentEscrow.PaymentTerms memory terms) internal returns (address) {
        address[8] memory callers =
            [terms.operator, terms.operator, terms.merchant, terms.payer, terms.payer, arbiter, arbiter, stranger];
        return callers[_roll(callers.length)];
    }

    /// @dev Amount and expectedLeft of a capture or a refund: mostly right, sometimes one off.
    function _amounts(uint128 left) internal returns (uint128 amount, uint128 expectedLeft) {
        uint256 kind = _roll(8);
        amount = left;
        if (kind < 4) amount = uint128(_roll(uint256(left) + 1));
        if (kind == 4 && left < type(uint128).max) amount = left + 1;
        if (kind == 5) amount = 0;
        expectedLeft = left;
        if (_roll(12) == 0) expectedLeft ^= 1;
    }

    function _amount() private returns (uint128) {
        uint256 kind = _roll(6);
        if (kind == 0) return uint128(1 + _roll(3));
        if (kind == 1) return uint128(9_999 + _roll(3));
        if (kind == 2) return type(uint128).max - uint128(_roll(2));
        if (kind == 3) return uint128(1 + _roll(type(uint128).max));
        return uint128(1 + _roll(1e12));
    }

    function _bps() internal returns (uint16) {
        return _roll(8) == 0 ? uint16(10_001) : _bpsWithin();
    }

    function _bpsWithin() private returns (uint16) {
        uint256 kind = _roll(4);
        if (kind == 0) return 0;
        if (kind == 1) return 10_000;
        return uint16(_roll(10_001));
    }

    /// @dev Sometimes one account has two parts.
    function _feeRecipient() private returns (address) {
        uint256 kind = _roll(8);
        if (kind == 0) return merchant;
        return kind == 1 ? payer : feeRecipient;
    }

    // Balances.

    function _accounts() internal view returns (address[6] memory) {
        return [payer, merchant, feeRecipient, operator, arbiter, stranger];
    }

    /// @dev Whether some account owns, together with what it is owed, more or less than the kernels say; or is owed more
    ///      or less.
    function _balancesDiffer() internal view returns (bool) {
        address[6] memory accounts = _accounts();
        for (uint256 i; i < accounts.length; ++i) {
            for (uint256 kind; kind < 2; ++kind) {
                uint256 owed = credits[accounts[i]][kind].owed();
                // Nobody pays the last three, so that nothing credits them.
                if (i < 3 && escrow.creditOf(accounts[i], _token(kind)) != owed) return true;
                if (_balance(accounts[i], kind) + owed != _expected(accounts[i], kind)) return true;
            }
        }
        return false;
    }

    function _expected(address account, uint256 kind) private view returns (uint256 gets) {
        gets = ownedAtStart[account][kind] + claimedFromOthers[account][kind];
        uint256 gives = claimedForOthers[account][kind];
        for (uint256 i; i < payments.length; ++i) {
            Payment storage payment = payments[i];
            if (account == payment.terms.payer && i < deposits.length) gets += deposits[i].kernels[kind].returned();
            if (_kind(payment.terms.token) != kind) continue;
            if (account == payment.terms.payer) {
                if (!payment.fromDeposit) gives += payment.kernel.collected();
                gets += payment.kernel.paidToPayer();
            }
            if (account == payment.terms.merchant) gets += payment.kernel.paidToMerchant();
            if (account == payment.terms.feeRecipient) gets += payment.kernel.paidToFeeRecipient();
        }
        return gets - gives;
    }

    /// @dev What the escrow owes everybody, of one kind.
    function _owed(uint256 kind) internal view returns (uint256 owed) {
        address[6] memory accounts = _accounts();
        for (uint256 i; i < 3; ++i) owed += credits[accounts[i]][kind].owed();
    }

    /// @dev Whether something lies at a deposit address that the kernel does not know of, or the other way round.
    function _depositsDiffer() internal view returns (bool) {
        for (uint256 i; i < deposits.length; ++i) {
            for (uint256 kind; kind < 2; ++kind) {
                if (_balance(deposits[i].box, kind) != deposits[i].kernels[kind].held()) return true;
            }
        }
        return false;
    }
}
