// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {Account} from "./Account.sol";
import {cheats, Log} from "./Cheats.sol";
import {TrickToken} from "./TrickToken.sol";
import {Dice, World} from "./World.sol";

/// @notice The ghost books: what the rules say every payment, balance and credit must be, kept apart from the
///         contract and compared with it after every call.
abstract contract Book is World {
    enum Op {
        AUTHORIZE_DIRECT,
        AUTHORIZE_WITH_PERMIT,
        AUTHORIZE_WITH_FRONT_RUN_PERMIT,
        AUTHORIZE_WITH_ALLOWANCE,
        AUTHORIZE_WITH_RECEIVE,
        AUTHORIZE_OUT_OF_BOUNDS,
        CAPTURE,
        VOID,
        RECLAIM,
        REFUND,
        SETTLE,
        DISPUTE,
        DISPUTE_WITH_SIGNATURE,
        RESOLVE,
        CONCEDE,
        RESOLVE_BY_TIMEOUT,
        SIGN_CONSENT,
        CHARGE,
        REVOKE,
        CLAIM,
        CLAIM_FOR,
        PASS_TIME,
        CHANGE_CHAIN_ID,
        BLACKLIST,
        PAUSE,
        ARM_REENTRY,
        DONATE,
        STARVE_OF_GAS,
        STEAL_WITH_OPERATOR_KEY,
        REPLAY,
        REPLAY_ELSEWHERE,
        ACT_WITHOUT_RIGHT,
        EXPECT_WRONG_LEFT,
        FORGE_TERMS,
        PAY_WRONG_VALUE,
        OVERCHARGE,
        CHARGE_WRONG_PERIOD,
        DEPOSIT,
        AUTHORIZE_FROM_DEPOSIT,
        RETURN_DEPOSIT,
        ROB_DEPOSIT
    }

    struct Payment {
        IPaymentEscrow.Status status;
        uint128 left;
        uint40 capturedAt;
        uint40 disputedAt;
        uint40 authorizedAt;
        uint40 endedAt;
        uint128 collected;
        uint256 toPayer;
        uint256 toMerchant;
        uint256 toFee;
        /// @dev The part of the three above whose push failed.
        uint256 credited;
        bool charged;
    }

    struct Credit {
        address recipient;
        address token;
    }

    /// @notice How many operations there are.
    uint256 public constant OPS = 41;
    uint256 internal constant GAS = 6_000_000;

    uint256[OPS] public calls;
    /// @notice Calls that did what they are for: moved a payment on, or mounted a real attack that was refused.
    uint256[OPS] public successes;
    uint256 public steps;
    /// @notice The payment that the last call moved on, if it did.
    bytes32 public touched;
    bytes32[] public ids;
    mapping(bytes32 => Payment) internal payments;
    mapping(bytes32 => IPaymentEscrow.PaymentTerms) internal termsOf;
    /// @notice What each account must own of each token, the escrow included.
    mapping(address => mapping(address => uint256)) public owned;
    mapping(address => mapping(address => uint256)) public credits;
    /// @dev Whom a failed push ever credited; may repeat.
    Credit[] internal credited;
    mapping(address => uint256) public donated;
    /// @notice What a payer gave by ids and consents it signed, and what it got back, per token.
    mapping(address => mapping(address => uint256)) public given;
    mapping(address => mapping(address => uint256)) public returned;
    uint256 public breaches;
    string public firstBreach;
    /// @dev Sets the events of one call apart from those of another in one transaction.
    uint256 private transient generation;

    function idCount() external view returns (uint256) {
        return ids.length;
    }

    function payment(bytes32 id) external view returns (Payment memory) {
        return payments[id];
    }

    function terms(bytes32 id) external view returns (IPaymentEscrow.PaymentTerms memory) {
        return termsOf[id];
    }

    function _begin(Op op, uint256 seed) internal returns (Dice memory) {
        cheats.warp(time);
        cheats.chainId(chain);
        ++calls[uint256(op)];
        ++steps;
        touched = 0;
        return Dice(uint256(keccak256(abi.encode(op, seed))));
    }

    function _breach(string memory what) internal {
        if (breaches++ == 0) firstBreach = what;
    }

    function _must(bool held, string memory what) internal {
        if (!held) _breach(what);
    }

    /// @dev Calls the escrow as `caller`; what it emitted is kept for the checks below.
    function _call(address caller, uint256 value, uint256 gasLimit, bytes memory data) internal returns (bool ok) {
        cheats.recordLogs();
        cheats.prank(caller);
        address target = address(escrow);
        // Return data is left where it is: a bomb passed on must not cost the test its memory.
        assembly ("memory-safe") {
            ok := call(gasLimit, target, value, add(data, 0x20), mload(data), 0, 0)
        }
        _keepLogs();
    }

    /// @dev Keeps of each event how often it came and the hash of what it said, in transient storage: the event itself
    ///      would cost the fuzzer more than all the rest.
    function _keepLogs() private {
        ++generation;
        Log[] memory all = cheats.getRecordedLogs();
        for (uint256 i; i < all.length; ++i) {
            if (all[i].emitter != address(escrow)) continue;
            bytes32[] memory topics = all[i].topics;
            bytes32 seen = keccak256(abi.encode(generation, topics[0]));
            _keep(seen, _kept(seen) + 1);
            _keep(keccak256(abi.encode(seen)), uint256(keccak256(abi.encode(topics, keccak256(all[i].data)))));
            if (topics[0] != IPaymentEscrow.Credited.selector) continue;
            (uint256 amount, IPaymentEscrow.Role role) = abi.decode(all[i].data, (uint256, IPaymentEscrow.Role));
            bytes32 ofRole = keccak256(abi.encode(seen, topics[1], topics[2], topics[3], role));
            _keep(ofRole, _kept(ofRole) + amount);
        }
    }

    function _keep(bytes32 slot, uint256 value) private {
        assembly ("memory-safe") {
            tstore(slot, value)
        }
    }

    function _kept(bytes32 slot) private view returns (uint256 value) {
        assembly ("memory-safe") {
            value := tload(slot)
        }
    }

    /// @dev The call did as the rules say; counts it when it also succeeded.
    function _agrees(Op op, bool ok, bool expected, string memory what) internal returns (bool) {
        if (ok && !expected) _breach(string.concat("not refused: ", what));
        if (!ok && expected) _breach(string.concat("refused: ", what));
        if (ok && expected) ++successes[uint256(op)];
        return ok;
    }

    /// @dev An attack was really mounted, and refused.
    function _refused(Op op, bool ok, string memory what) internal {
        _must(!ok, what);
        ++successes[uint256(op)];
    }

    /// @dev The event came exactly once, for this payment, with these values.
    function _emitted(bytes32 topic, bytes32 id, bytes memory data) internal {
        bytes32[] memory topics = new bytes32[](4);
        (topics[0], topics[1], topics[2]) = (topic, id, termsOf[id].intentId);
        topics[3] = _word(termsOf[id].payer);
        _emittedOnce(topics, data);
    }

    /// @dev The claim's event came exactly once, with these values.
    function _emittedClaim(address recipient, address token, address to, uint256 amount) internal {
        bytes32[] memory topics = new bytes32[](3);
        topics[0] = IPaymentEscrow.Claimed.selector;
        (topics[1], topics[2]) = (_word(recipient), _word(token));
        _emittedOnce(topics, abi.encode(to, amount));
    }

    function _word(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }

    function _emittedOnce(bytes32[] memory topics, bytes memory data) private {
        bytes32 seen = keccak256(abi.encode(generation, topics[0]));
        _must(_kept(seen) == 1, "2: an event is missing or doubled");
        _must(
            _kept(keccak256(abi.encode(seen))) == uint256(keccak256(abi.encode(topics, keccak256(data)))),
            "2: an event says something else than what happened"
        );
    }

    function _creditedInLogs(bytes32 id, address to, IPaymentEscrow.Role role) private view returns (uint256) {
        bytes32 seen = keccak256(abi.encode(generation, IPaymentEscrow.Credited.selector));
        return _kept(keccak256(abi.encode(seen, id, _word(to), _word(termsOf[id].token), role)));
    }

    /// @dev 0: a push to `to` must fail, 1: it must not, 2: it depends on the gas that it needs.
    function _takes(address token, address to) internal view returns (uint8) {
        if (token == address(0)) {
            if (!_isAccount(to)) return 1;
            Account.Mode mode = Account(payable(to)).mode();
            return mode == Account.Mode.ACCEPT ? 1 : mode == Account.Mode.REENTER ? 2 : 0;
        }
        TrickToken trick = TrickToken(token);
        if (trick.paused() || trick.blocked(to) || trick.blocked(address(escrow))) return 0;
        // What a re-entrant token spends on its attempts may exceed what a push gives it.
        return trick.kind() == TrickToken.Kind.REENTRANT && trick.hookTarget() != address(0) ? 2 : 1;
    }

    function _reaches(address token, uint256 amount) internal view returns (uint256) {
        if (token == address(0) || TrickToken(token).kind() != TrickToken.Kind.FEE) return amount;
        return amount - amount * TrickToken(token).feeBps() / 10_000;
    }

    /// @dev Books a push out of the escrow: paid, or credited when it could not be, and then for this role.
    function _push(bytes32 id, address to, uint256 amount, IPaymentEscrow.Role role) private returns (bool paid) {
        if (amount == 0) return true;
        address token = termsOf[id].token;
        uint8 takes = _takes(token, to);
        uint256 inLogs = _creditedInLogs(id, to, role);
        paid = takes == 1;
        if (takes == 2) paid = inLogs == 0;
        _must(inLogs == (paid ? 0 : amount), "14: credited what could be paid, or paid what could not");
        if (!paid) {
            if (credits[to][token] == 0) credited.push(Credit(to, token));
            credits[to][token] += amount;
            payments[id].credited += amount;
            return false;
        }
        owned[address(escrow)][token] -= amount;
        owned[to][token] += _reaches(token, amount);
    }

    /// @dev Books a distribution.
    function _distribute(bytes32 id, uint256 toPayer, uint256 toMerchant, uint256 toFee) internal {
        Payment storage p = payments[id];
        IPaymentEscrow.PaymentTerms storage t = termsOf[id];
        touched = id;
        p.toPayer += toPayer;
        p.toMerchant += toMerchant;
        p.toFee += toFee;
        if (_push(id, t.payer, toPayer, IPaymentEscrow.Role.PAYER)) {
            returned[t.payer][t.token] += _reaches(t.token, toPayer);
        }
        _push(id, t.merchant, toMerchant, IPaymentEscrow.Role.MERCHANT);
        _push(id, t.feeRecipient, toFee, IPaymentEscrow.Role.FEE_RECIPIENT);
    }

    function _book(IPaymentEscrow.PaymentTerms memory t, bytes32 id) internal {
        _must(payments[id].status == IPaymentEscrow.Status.NONE, "3: collected twice");
        ids.push(id);
        touched = id;
        termsOf[id] = t;
        Payment storage p = payments[id];
        p.collected = t.amount;
        p.left = t.amount;
        p.authorizedAt = uint40(time);
        p.status = IPaymentEscrow.Status.AUTHORIZED;
        owned[t.payer][t.token] -= t.amount;
        owned[address(escrow)][t.token] += t.amount;
        given[t.payer][t.token] += t.amount;
        _emitted(IPaymentEscrow.Authorized.selector, id, abi.encode(t, t.amount));
        if (t.captureOnAuthorize) {
            p.status = IPaymentEscrow.Status.CAPTURED;
            p.capturedAt = uint40(time);
            _emitted(IPaymentEscrow.Captured.selector, id, abi.encode(t.amount, 0, t.amount));
        }
    }

    function _end(bytes32 id, IPaymentEscrow.Status status) internal {
        Payment storage p = payments[id];
        p.status = status;
        p.left = 0;
        p.endedAt = uint40(time);
    }

    /// @dev A random payment in the given status, if there is one; `disputed` narrows CAPTURED.
    function _pick(Dice memory dice, IPaymentEscrow.Status status, bool disputed)
        internal
        view
        returns (bool found, bytes32 id)
    {
        uint256 count = ids.length;
        if (count == 0) return (false, 0);
        uint256 from = _roll(dice, count);
        for (uint256 i; i < count; ++i) {
            id = ids[(from + i) % count];
            if (payments[id].status == status && (payments[id].disputedAt != 0) == disputed) return (true, id);
        }
        return (false, 0);
    }

    /// @dev A random open payment, whatever its state.
    function _pickOpen(Dice memory dice) internal view returns (bool found, bytes32 id) {
        uint256 shift = _roll(dice, 3);
        for (uint256 i; i < 3; ++i) {
            uint256 choice = (shift + i) % 3;
            (found, id) = _pick(
                dice,
                choice == 0 ? IPaymentEscrow.Status.AUTHORIZED : IPaymentEscrow.Status.CAPTURED,
                choice == 2
            );
            if (found) return (true, id);
        }
    }
}
