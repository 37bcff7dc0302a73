// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "./IPaymentEscrow.sol";

/// @title All of a payment's state in one word
/// @notice From the lowest bit: left (128 bits, base units still held), capturedAt (40, second of the capture, zero
///         before it), disputedAt (40, second of the dispute, zero without one), status (8). Nobody but pack makes one.
type PackedState is uint256;

using {left, capturedAt, disputedAt, status} for PackedState global;

/// @notice The word of a state; both times are at most 40 bits wide.
/// @param left_ base units still held
/// @param capturedAt_ second of the capture
/// @param disputedAt_ second of the dispute
/// @param status_ the payment's status
/// @return the state
function pack(uint128 left_, uint256 capturedAt_, uint256 disputedAt_, IPaymentEscrow.Status status_)
    pure
    returns (PackedState)
{
    return PackedState.wrap(left_ | (capturedAt_ << 128) | (disputedAt_ << 168) | (uint256(status_) << 208));
}

/// @notice Base units still held.
function left(PackedState state) pure returns (uint128) {
    return uint128(PackedState.unwrap(state));
}

/// @notice Second of the capture; zero before it.
function capturedAt(PackedState state) pure returns (uint40) {
    return uint40(PackedState.unwrap(state) >> 128);
}

/// @notice Second of the dispute; zero without one.
function disputedAt(PackedState state) pure returns (uint40) {
    return uint40(PackedState.unwrap(state) >> 168);
}

/// @notice The payment's status.
function status(PackedState state) pure returns (IPaymentEscrow.Status) {
    return IPaymentEscrow.Status(PackedState.unwrap(state) >> 208);
}
