// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {Account, Delegate} from "./Account.sol";
import {cheats} from "./Cheats.sol";
import {TrickToken} from "./TrickToken.sol";

/// @notice A stream of choices out of one fuzzed number, so that a handler needs one argument.
struct Dice {
    uint256 state;
}

/// @notice Who and what there is: two escrow instances, accounts of every sort with their keys, tokens of every sort,
///         and the EIP-712 hashes computed apart from the contract.
abstract contract World {
    bytes32 internal constant TERMS_TYPE = keccak256(
        "PaymentTerms(bytes32 intentId,address payer,address merchant,address token,uint128 amount,uint40 authorizeBy,uint40 captureBy,uint32 timelock,uint32 disputeWindow,uint32 disputeTimeout,uint16 timeoutPayerBps,uint16 feeBps,address feeRecipient,address operator,address arbiter,bytes32 quoteHash,bool captureOnAuthorize)"
    );
    bytes32 internal constant CONSENT_TYPE = keccak256(
        "RecurringConsent(bytes32 subscriptionId,address payer,address merchant,address token,uint128 capPerPeriod,uint40 start,uint8 unit,uint32 count,uint40 end,uint16 feeBps,address feeRecipient,address operator,address arbiter,uint32 timelock,uint32 disputeWindow,uint32 disputeTimeout,uint16 timeoutPayerBps)"
    );
    bytes32 internal constant DISPUTE_TYPE = keccak256("Dispute(bytes32 id)");
    bytes32 internal constant CHARGE_TYPE = keccak256("Charge(bytes32 consentId,uint32 period,bytes32 id)");
    uint256 internal constant WEALTH = 1e30;
    uint256 internal constant KEY = 0x51CE;
    /// @dev 2028-01-31 10:00 UTC: the day that months must clamp, in a leap year.
    uint256 internal constant BEGIN = 1_832_925_600;

    IPaymentEscrow public immutable escrow;
    /// @notice A second deployment, which signatures for the first must not open.
    IPaymentEscrow public immutable twin;
    uint256 public time = BEGIN;
    /// @notice What the chain calls itself now.
    uint256 public chain = 31_337;

    address[] public payers;
    address[] public merchants;
    address[] public operators;
    address[] public feeRecipients;
    address[] public tokens;
    /// @notice Everybody who may ever hold money here, the escrow included.
    address[] public everybody;
    address public arbiter;
    address public stranger;
    /// @notice Holds the keys of both operators.
    address public thief;
    address public refuge;
    mapping(address => uint256) internal keyOf;

    constructor(IPaymentEscrow escrow_, IPaymentEscrow twin_) {
        escrow = escrow_;
        twin = twin_;
        cheats.warp(BEGIN);
        // These two come first: they never call, nor are they asked to take a claim.
        everybody.push(address(escrow_));
        everybody.push(address(twin_));
        payers.push(_person(1));
        payers.push(_person(2));
        // An EIP-7702 account has code and still signs by its own key.
        cheats.etch(payers[1], abi.encodePacked(hex"ef0100", address(new Delegate())));
        payers.push(_account(3));
        payers.push(_account(3));
        merchants.push(_person(10));
        merchants.push(_account(11));
        operators.push(_person(20));
        operators.push(_account(20));
        feeRecipients.push(_person(30));
        feeRecipients.push(_account(31));
        feeRecipients.push(merchants[0]);
        arbiter = _person(40);
        stranger = _person(41);
        thief = _person(42);
        refuge = _person(43);
        tokens.push(address(0));
        for (uint8 kind; kind <= uint8(TrickToken.Kind.BURN); ++kind) {
            tokens.push(address(new TrickToken(TrickToken.Kind(kind))));
        }
    }

    function _person(uint256 index) private returns (address person) {
        person = cheats.addr(KEY + index);
        keyOf[person] = KEY + index;
        everybody.push(person);
    }

    function _account(uint256 index) private returns (address account) {
        account = address(new Account(cheats.addr(KEY + index)));
        keyOf[account] = KEY + index;
        everybody.push(account);
    }

    function everybodyCount() external view returns (uint256) {
        return everybody.length;
    }

    function tokenCount() external view returns (uint256) {
        return tokens.length;
    }

    function _isAccount(address who) internal view returns (bool) {
        return who == payers[2] || who == payers[3] || who == merchants[1] || who == operators[1]
            || who == feeRecipients[1];
    }

    function _domain(address contract_) private view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Sluice"),
                keccak256("2"),
                block.chainid,
                contract_
            )
        );
    }

    function _digest(bytes32 structHash) internal view returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", _domain(address(escrow)), structHash));
    }

    function _id(IPaymentEscrow.PaymentTerms memory terms) internal pure returns (bytes32) {
        return keccak256(abi.encode(TERMS_TYPE, terms));
    }

    function _consentId(IPaymentEscrow.RecurringConsent memory consent) internal pure returns (bytes32) {
        return keccak256(abi.encode(CONSENT_TYPE, consent));
    }

    /// @dev What a party signs of terms, consents, disputes and charges: the digest under the chain's present id.
    function _signHash(address who, bytes32 structHash) internal view returns (bytes memory) {
        return _sign(who, _digest(structHash));
    }

    function _sign(address who, bytes32 digest) internal view returns (bytes memory) {
        // The zero address, in terms out of their bounds, signs nothing.
        if (keyOf[who] == 0) return new bytes(65);
        (uint8 v, bytes32 r, bytes32 s) = cheats.sign(keyOf[who], digest);
        return abi.encodePacked(r, s, v);
    }

    function _roll(Dice memory dice, uint256 sides) internal pure returns (uint256) {
        dice.state = uint256(keccak256(abi.encode(dice.state)));
        return dice.state % sides;
    }

    function _one(Dice memory dice, address[] storage list) internal view returns (address) {
        return list[_roll(dice, list.length)];
    }
}
