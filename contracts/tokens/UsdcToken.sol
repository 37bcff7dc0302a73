// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {IERC3009} from "../IERC3009.sol";

/// @title A test coin with what USDC offers: permit, ERC-3009 (both in both forms) and a blacklist
/// @notice For local chains only: anybody mints and anybody edits the blacklist.
contract UsdcToken is ERC20, EIP712, Nonces, IERC20Permit, IERC3009 {
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);
    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);

    error Blacklist(address account);
    error DeadlinePassed(uint256 timestamp, uint256 deadline);
    error AuthorizationNotYetValid(uint256 timestamp, uint256 validAfter);
    error AuthorizationExpired(uint256 timestamp, uint256 validBefore);
    error AuthorizationAlreadyUsed(address authorizer, bytes32 nonce);
    error CallerNotPayee(address caller, address payee);
    error InvalidSignature(address signer);

    mapping(address account => bool) public isBlacklisted;
    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    constructor() ERC20("USD Coin", "USDC") EIP712("USD Coin", "2") {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function version() external pure returns (string memory) {
        return "2";
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function blacklist(address account) external {
        isBlacklisted[account] = true;
        emit Blacklisted(account);
    }

    function unBlacklist(address account) external {
        isBlacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    function nonces(address owner) public view override(IERC20Permit, Nonces) returns (uint256) {
        return super.nonces(owner);
    }

    // The standard's name.
    // forge-lint: disable-next-line(mixed-case-function)
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        _permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes calldata signature)
        external
    {
        _permit(owner, spender, value, deadline, signature);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 hash = _authorizationHash(
            TRANSFER_WITH_AUTHORIZATION_TYPEHASH, [from, to], value, [validAfter, validBefore], nonce
        );
        _move([from, to], value, [validAfter, validBefore], nonce, hash, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        bytes32 hash = _authorizationHash(
            TRANSFER_WITH_AUTHORIZATION_TYPEHASH, [from, to], value, [validAfter, validBefore], nonce
        );
        _move([from, to], value, [validAfter, validBefore], nonce, hash, signature);
    }

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
    ) external {
        if (msg.sender != to) revert CallerNotPayee(msg.sender, to);
        bytes32 hash =
            _authorizationHash(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, [from, to], value, [validAfter, validBefore], nonce);
        _move([from, to], value, [validAfter, validBefore], nonce, hash, abi.encodePacked(r, s, v));
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        if (msg.sender != to) revert CallerNotPayee(msg.sender, to);
        bytes32 hash =
            _authorizationHash(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, [from, to], value, [validAfter, validBefore], nonce);
        _move([from, to], value, [validAfter, validBefore], nonce, hash, signature);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, bytes calldata signature) external {
        _requireUnused(authorizer, nonce);
        _requireSigned(
            authorizer,
            _hashTypedDataV4(keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce))),
            signature
        );
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (isBlacklisted[msg.sender]) revert Blacklist(msg.sender);
        if (isBlacklisted[from]) revert Blacklist(from);
        if (isBlacklisted[to]) revert Blacklist(to);
        super._update(from, to, value);
    }

    function _permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature)
        private
    {
        if (block.timestamp > deadline) revert DeadlinePassed(block.timestamp, deadline);
        bytes32 hash = keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, _useNonce(owner), deadline));
        _requireSigned(owner, _hashTypedDataV4(hash), signature);
        _approve(owner, spender, value);
    }

    /// @dev parties: from, to; window: validAfter, validBefore.
    function _authorizationHash(
        bytes32 typeHash,
        address[2] memory parties,
        uint256 value,
        uint256[2] memory window,
        bytes32 nonce
    ) private view returns (bytes32) {
        return _hashTypedDataV4(
            keccak256(abi.encode(typeHash, parties[0], parties[1], value, window[0], window[1], nonce))
        );
    }

    function _move(
        address[2] memory parties,
        uint256 value,
        uint256[2] memory window,
        bytes32 nonce,
        bytes32 hash,
        bytes memory signature
    ) private {
        if (block.timestamp <= window[0]) revert AuthorizationNotYetValid(block.timestamp, window[0]);
        if (block.timestamp >= window[1]) revert AuthorizationExpired(block.timestamp, window[1]);
        _requireUnused(parties[0], nonce);
        _requireSigned(parties[0], hash, signature);
        authorizationState[parties[0]][nonce] = true;
        emit AuthorizationUsed(parties[0], nonce);
        _transfer(parties[0], parties[1], value);
    }

    function _requireUnused(address authorizer, bytes32 nonce) private view {
        if (authorizationState[authorizer][nonce]) revert AuthorizationAlreadyUsed(authorizer, nonce);
    }

    function _requireSigned(address signer, bytes32 hash, bytes memory signature) private view {
        if (!SignatureChecker.isValidSignatureNow(signer, hash, signature)) revert InvalidSignature(signer);
    }
}
