// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDepositBox} from "../../DepositBox.sol";
import {IPaymentEscrow} from "../../IPaymentEscrow.sol";
import {Account} from "./Account.sol";
import {AttackHandler} from "./AttackHandler.sol";
import {cheats} from "./Cheats.sol";
import {TrickToken} from "./TrickToken.sol";
import {Dice} from "./World.sol";

/// @notice Deposit addresses: money that arrives there, in any token and sum and at any time, and everybody who would
///         like to have it.
abstract contract DepositHandler is AttackHandler {
    /// @notice The payments whose deposit addresses were used; their terms are in `termsOf`, opened or not.
    bytes32[] public depositIds;
    mapping(bytes32 id => address) public boxOf;
    mapping(address box => mapping(address token => uint256)) public arrived;
    mapping(address box => mapping(address token => uint256)) public collectedFrom;
    mapping(address box => mapping(address token => uint256)) public sentBack;

    function depositCount() external view returns (uint256) {
        return depositIds.length;
    }

    /// @dev A first part or another one, too little or too much, now and then in a token that the terms do not name,
    ///      and for a payment that came in another way.
    function deposit(uint256 seed) external {
        Dice memory dice = _begin(Op.DEPOSIT, seed);
        bytes32 id = _depositId(dice);
        IPaymentEscrow.PaymentTerms memory t = termsOf[id];
        address token = _roll(dice, 5) == 0 ? _one(dice, tokens) : t.token;
        uint256 choice = _roll(dice, 6);
        uint256 amount = choice < 3 ? t.amount : 1 + _roll(dice, uint256(t.amount) * 2);
        address box = boxOf[id];
        if (token == address(0)) cheats.deal(box, box.balance + amount);
        else TrickToken(token).mint(box, amount);
        arrived[box][token] += amount;
        owned[box][token] += amount;
        ++successes[uint256(Op.DEPOSIT)];
    }

    function authorizeFromDeposit(uint256 seed) external {
        Dice memory dice = _begin(Op.AUTHORIZE_FROM_DEPOSIT, seed);
        if (depositIds.length == 0) return;
        bytes32 id = depositIds[_roll(dice, depositIds.length)];
        IPaymentEscrow.PaymentTerms memory t = termsOf[id];
        bool signed = _roll(dice, 6) != 0;
        bytes memory signature = _signHash(signed ? t.operator : stranger, id);
        bool expected = signed && payments[id].status == IPaymentEscrow.Status.NONE
            && owned[boxOf[id]][t.token] >= t.amount && _collects(t, boxOf[id]);
        bool ok =
            _call(_anybody(dice), 0, GAS, abi.encodeCall(IPaymentEscrow.authorizeFromDeposit, (t, signature)));
        if (_agrees(Op.AUTHORIZE_FROM_DEPOSIT, ok, expected, "15: authorization from a deposit")) _collected(id, t);
    }

    function returnDeposit(uint256 seed) external {
        Dice memory dice = _begin(Op.RETURN_DEPOSIT, seed);
        if (depositIds.length == 0) return;
        bytes32 id = depositIds[_roll(dice, depositIds.length)];
        IPaymentEscrow.PaymentTerms memory t = termsOf[id];
        address token = _roll(dice, 3) == 0 ? _one(dice, tokens) : t.token;
        address caller = _roll(dice, 4) == 0 ? t.operator : _anybody(dice);
        bool reserved = token == t.token && caller != t.operator && time <= t.authorizeBy
            && t.authorizeBy <= time + 90 days && payments[id].status == IPaymentEscrow.Status.NONE;
        bool expected = !reserved && owned[boxOf[id]][token] > 0 && _takesReturn(token, t.payer);
        bool ok = _call(caller, 0, GAS, abi.encodeCall(IPaymentEscrow.returnDeposit, (t, token)));
        if (_agrees(Op.RETURN_DEPOSIT, ok, expected, "15: return of a deposit")) _sentBack(id, t, token);
    }

    /// @dev Nobody but the escrow that deployed the box moves anything out of it, the other escrow included.
    function robDeposit(uint256 seed) external {
        Dice memory dice = _begin(Op.ROB_DEPOSIT, seed);
        if (depositIds.length == 0) return;
        address box = boxOf[depositIds[_roll(dice, depositIds.length)]];
        if (box.code.length == 0) return;
        address robber = everybody[1 + _roll(dice, everybody.length - 1)];
        address token = _one(dice, tokens);
        cheats.prank(robber);
        (bool ok,) = box.call{gas: GAS}(abi.encodeCall(IDepositBox.send, (token, robber, 1)));
        _refused(Op.ROB_DEPOSIT, ok, "15: a box obeyed somebody else");
    }

    /// @notice Once nobody is hostile any more, a stranger's calls empty every box.
    function returnAll() external {
        for (uint256 i; i < depositIds.length; ++i) {
            bytes32 id = depositIds[i];
            IPaymentEscrow.PaymentTerms memory t = termsOf[id];
            if (time <= t.authorizeBy) time = uint256(t.authorizeBy) + 1;
            cheats.warp(time);
            for (uint256 j; j < tokens.length; ++j) {
                if (owned[boxOf[id]][tokens[j]] == 0) continue;
                bool ok = _call(stranger, 0, GAS, abi.encodeCall(IPaymentEscrow.returnDeposit, (t, tokens[j])));
                _must(ok, "8: no public call empties a deposit address");
                if (ok) _sentBack(id, t, tokens[j]);
            }
        }
    }

    function _depositId(Dice memory dice) private returns (bytes32 id) {
        uint256 choice = _roll(dice, 6);
        if (choice == 0 && ids.length > 0) id = ids[_roll(dice, ids.length)];
        else if (choice < 3 && depositIds.length > 0) id = depositIds[_roll(dice, depositIds.length)];
        else {
            IPaymentEscrow.PaymentTerms memory t = _terms(dice, _one(dice, tokens));
            // Terms that cannot be authorized yet reserve nothing.
            if (choice == 5) t.authorizeBy = t.captureBy = uint40(time + 89 days + _roll(dice, 3 days));
            id = _id(t);
            termsOf[id] = t;
        }
        if (boxOf[id] == address(0)) {
            boxOf[id] = escrow.depositAddressOf(termsOf[id]);
            depositIds.push(id);
        }
    }

    /// @dev As if the payer had had the amount and paid it, so that its own books stay what they are.
    function _collected(bytes32 id, IPaymentEscrow.PaymentTerms memory t) private {
        owned[boxOf[id]][t.token] -= t.amount;
        collectedFrom[boxOf[id]][t.token] += t.amount;
        owned[t.payer][t.token] += t.amount;
        returned[t.payer][t.token] += t.amount;
        _book(t, id);
    }

    function _sentBack(bytes32 id, IPaymentEscrow.PaymentTerms memory t, address token) private {
        address box = boxOf[id];
        uint256 amount = owned[box][token];
        uint256 reached = _reaches(token, amount);
        owned[box][token] = 0;
        sentBack[box][token] += amount;
        owned[t.payer][token] += reached;
        returned[t.payer][token] += reached;
        _emitted(IPaymentEscrow.DepositReturned.selector, id, abi.encode(token, amount));
    }

    function _takesReturn(address token, address payer) private view returns (bool) {
        if (token != address(0)) return !TrickToken(token).paused() && !TrickToken(token).blocked(payer);
        return !_isAccount(payer) || Account(payable(payer)).mode() == Account.Mode.ACCEPT;
    }
}
