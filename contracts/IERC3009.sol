// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The part of ERC-3009 that the escrow calls, in both forms that tokens offer
interface IERC3009 {
    /// @notice Moves what `from` signed to its caller, who must be `to`; with a key's signature in three parts.
    /// @param from who signed, and pays
    /// @param to who is paid, and calls
    /// @param value base units
    /// @param validAfter last second too early
    /// @param validBefore first second too late
    /// @param nonce what the signer chose, once; the escrow wants the payment's id
    /// @param v last part of the signature
    /// @param r first part of it
    /// @param s second part of it
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice The same with a signature in one piece, such as that of an account with code.
    /// @param from who signed, and pays
    /// @param to who is paid, and calls
    /// @param value base units
    /// @param validAfter last second too early
    /// @param validBefore first second too late
    /// @param nonce what the signer chose, once; the escrow wants the payment's id
    /// @param signature over all of these under the token's own domain
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}
