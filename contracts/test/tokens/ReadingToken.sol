// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../../IPaymentEscrow.sol";

/// @notice Asks the escrow about two payments whenever it is called, as another protocol would that trusts the answer,
///         and refuses to go on when the one that it is asked to pay for is there already, or the other one is not.
contract ReadingToken {
    IPaymentEscrow private immutable ESCROW;
    mapping(address account => uint256) private _balances;
    bytes32 private _collected;
    bytes32 private _other;
    bool private _watching;
    uint256 public reads;

    error Visible(bytes32 id);
    error Invisible(bytes32 id);

    constructor(IPaymentEscrow escrow) {
        ESCROW = escrow;
    }

    function watch(bytes32 collected, bytes32 other) external {
        (_collected, _other, _watching, reads) = (collected, other, true, 0);
    }

    function mint(address to, uint256 value) external {
        _balances[to] += value;
    }

    function balanceOf(address account) external view returns (uint256) {
        _read();
        return _balances[account];
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        _count();
        _move(from, to, value);
        _read();
        return true;
    }

    function permit(address, address, uint256, uint256, uint8, bytes32, bytes32) external {
        _count();
    }

    function receiveWithAuthorization(address from, address to, uint256 value, uint256, uint256, bytes32, bytes calldata)
        external
    {
        _count();
        _move(from, to, value);
        _read();
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256,
        bytes32,
        uint8,
        bytes32,
        bytes32
    ) external {
        _count();
        _move(from, to, value);
        _read();
    }

    function _move(address from, address to, uint256 value) private {
        _balances[from] -= value;
        _balances[to] += value;
    }

    function _count() private {
        _read();
        reads++;
    }

    function _read() private view {
        if (!_watching) return;
        (IPaymentEscrow.Status status, uint128 left, uint40 capturedAt, uint40 disputedAt) = ESCROW.stateOf(_collected);
        if (status != IPaymentEscrow.Status.NONE || left != 0 || capturedAt != 0 || disputedAt != 0) {
            revert Visible(_collected);
        }
        (status, left,,) = ESCROW.stateOf(_other);
        if (status != IPaymentEscrow.Status.CAPTURED || left == 0) revert Invisible(_other);
    }
}
